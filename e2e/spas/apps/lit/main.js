// Lit: nested open shadow roots, adopted style sheets, slots, properties that are no attributes.
import { LitElement, css, html } from 'lit';
import { repeat } from 'lit/directives/repeat.js';

class PlantCard extends LitElement {
  static properties = { plant: { attribute: false }, tone: { type: String, reflect: true } };
  static styles = css`
    :host { display: block; border: 1px solid rgb(120, 150, 120); padding: 12px; }
    :host([tone='warm']) { background: rgb(255, 244, 230); }
    h2 { margin: 0; color: rgb(20, 90, 50); }
    ::slotted(em) { color: rgb(150, 30, 30); }
  `;
  render() {
    return html`<h2>${this.plant?.name}</h2><p>${this.plant?.text}</p><slot></slot><price-tag .value=${this.plant?.price}></price-tag>`;
  }
}
customElements.define('plant-card', PlantCard);

class PriceTag extends LitElement {
  static properties = { value: { type: Number } };
  static styles = css`b { font-size: 1.4rem; } :host { float: right; }`;
  render() {
    return html`<b>${this.value?.toFixed(2)}</b> euro with tax`;
  }
}
customElements.define('price-tag', PriceTag);

class PlantShop extends LitElement {
  static properties = { plants: { state: true } };
  static styles = [css`:host { display: grid; gap: 10px; font-family: sans-serif; }`, css`h1 { grid-column: 1 / -1; }`];
  async connectedCallback() {
    super.connectedCallback();
    document.title = 'Elements of a garden shop';
    this.plants = await (await fetch('/api/products')).json();
  }
  render() {
    return html`<h1>Elements of a garden shop</h1>
      ${this.plants
        ? repeat(this.plants, (plant) => plant.id, (plant, i) => html`<plant-card .plant=${plant} tone=${i % 2 ? 'warm' : 'cool'}><em>${plant.stock < 8 ? 'Nearly gone' : 'Plenty on the shelf'}</em></plant-card>`)
        : html`<p>The shop is opening.</p>`}`;
  }
}
customElements.define('plant-shop', PlantShop);
document.getElementById('root').append(document.createElement('plant-shop'));
