// Vue 3 with its router: lazy routes, a transition that waits for the one before, teleport, data over XHR (axios).
import axios from 'axios';
import { createApp } from 'vue';
import { createRouter, createWebHistory } from 'vue-router';
import './style.css';

const setHead = (title, description) => {
  document.title = title;
  let meta = document.head.querySelector('meta[name=description]');
  if (!meta) { meta = document.createElement('meta'); meta.name = 'description'; document.head.append(meta); }
  meta.content = description;
};

const Shop = {
  data: () => ({ products: null, error: null }),
  async mounted() {
    const { data } = await axios.get('/api/products');
    this.products = data;
    setHead('Tools for a small greenhouse', 'Eight things that earn their place on the bench.');
  },
  template: `<section><h1>Tools for a small greenhouse</h1>
    <p v-if="!products" class="wait">The bench is being cleared.</p>
    <table v-else><caption>Prices include the postage.</caption><tbody>
      <tr v-for="p in products" :key="p.id"><th scope="row"><router-link :to="'/item/' + p.id">{{ p.name }}</router-link></th><td>{{ p.text }}</td><td>{{ p.price.toFixed(2) }} euro</td></tr>
    </tbody></table></section>`,
};
const Missing = {
  mounted() {
    setHead('No such thing', 'The shop does not have it.');
    const status = document.createElement('meta'); status.name = 'prerender-status-code'; status.content = '404'; document.head.append(status);
  },
  template: '<section><h1>No such thing</h1><p>We looked under the bench as well.</p></section>',
};

const router = createRouter({
  history: createWebHistory('/vue/'),
  routes: [
    { path: '/', component: Shop },
    { path: '/item/:id', component: () => import('./item.js') },
    { path: '/:rest(.*)', component: Missing },
  ],
});

createApp({
  template: `<header><router-link to="/">All tools</router-link></header>
    <router-view v-slot="{ Component }"><transition name="fade" mode="out-in" appear><component :is="Component" /></transition></router-view>
    <teleport to="body"><aside class="note">Orders that arrive before noon leave the same day.</aside></teleport>`,
}).use(router).mount('#root');
