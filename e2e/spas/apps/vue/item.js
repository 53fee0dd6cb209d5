// A route that is loaded when it is visited.
import axios from 'axios';

export default {
  data: () => ({ item: null }),
  async created() {
    const { data } = await axios.get('/api/products');
    this.item = data.find((one) => one.id === this.$route.params.id);
    document.title = this.item.name;
  },
  template: `<article v-if="item"><h1>{{ item.name }}</h1><img :src="item.image" :alt="item.name"><p>{{ item.text }}</p>
    <label>How many <input type="number" v-model.number="item.stock"></label><p>Group: {{ item.group }}</p></article>`,
};
