// A route that is loaded when it is visited. It names the compiler too, so that the bundler puts it in front of what both share.
import '@angular/compiler';
import { HttpClient } from '@angular/common/http';
import { Component, inject, signal } from '@angular/core';
import { Meta, Title } from '@angular/platform-browser';
import { ActivatedRoute } from '@angular/router';

@Component({
  selector: 'app-care',
  standalone: true,
  styles: [':host { display: block; background: rgb(236, 244, 250); padding: 12px; }'],
  template: `@if (item(); as product) {
    <h1>Care of the {{ product.name.toLowerCase() }}</h1>
    <p>{{ product.text }}</p>
    <p>Dry it before it is put away, and oil what moves. It will outlive the shed.</p>
  }`,
})
export class CarePage {
  readonly item = signal<any>(null);
  constructor() {
    const id = inject(ActivatedRoute).snapshot.paramMap.get('id');
    const title = inject(Title);
    const meta = inject(Meta);
    inject(HttpClient).get<any[]>('/api/products').subscribe((list) => {
      const found = list.find((product) => product.id === id);
      this.item.set(found);
      title.setTitle(`Care of the ${found.name.toLowerCase()}`);
      meta.addTag({ property: 'og:type', content: 'article' });
    });
  }
}
