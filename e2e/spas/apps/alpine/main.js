// Alpine: behaviour in attributes of the document itself, templates that stay in it.
import Alpine from 'alpinejs';

Alpine.data('stock', () => ({
  title: 'What is left in the shed',
  rows: [],
  async init() {
    this.rows = await (await fetch('/api/products')).json();
    document.title = `${this.rows.length} things in the shed`;
  },
}));
Alpine.start();
