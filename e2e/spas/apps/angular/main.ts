// Angular without zones: its router with a lazy route, its HTTP client, title and meta services, scoped styles.
import '@angular/compiler';
import { HttpClient, provideHttpClient } from '@angular/common/http';
import { ChangeDetectionStrategy, Component, inject, provideZonelessChangeDetection, signal } from '@angular/core';
import { bootstrapApplication, Meta, Title } from '@angular/platform-browser';
import { provideRouter, RouterLink, RouterOutlet } from '@angular/router';
import { APP_BASE_HREF } from '@angular/common';

@Component({
  selector: 'app-list',
  standalone: true,
  imports: [RouterLink],
  changeDetection: ChangeDetectionStrategy.OnPush,
  styles: ['h1 { color: rgb(20, 70, 140); } li { margin: 8px 0; } .price { font-weight: 700; }'],
  template: `
    <h1>Price list for the season</h1>
    @if (products(); as list) {
      <ul>@for (product of list; track product.id) {
        <li><a [routerLink]="['/care', product.id]">{{ product.name }}</a>, <span class="price">{{ product.price }} euro</span>. {{ product.text }}</li>
      }</ul>
    } @else { <p>The list is being typed.</p> }`,
})
class ListPage {
  readonly products = signal<any[] | null>(null);
  constructor() {
    inject(Title).setTitle('Price list for the season');
    inject(Meta).updateTag({ name: 'description', content: 'What the tools of the house cost this year.' });
    inject(HttpClient).get<any[]>('/api/products').subscribe((list) => this.products.set(list));
  }
}

@Component({
  selector: 'app-root',
  standalone: true,
  imports: [RouterOutlet, RouterLink],
  template: '<nav><a routerLink="/">Prices</a> <a routerLink="/care/can">Care of the watering can</a></nav><router-outlet />',
})
class Root {}

document.getElementById('root')!.append(document.createElement('app-root'));
bootstrapApplication(Root, {
  providers: [
    provideZonelessChangeDetection(),
    provideHttpClient(),
    { provide: APP_BASE_HREF, useValue: '/angular/' },
    provideRouter([
      { path: '', component: ListPage },
      { path: 'care/:id', loadComponent: () => import('./care').then((module) => module.CarePage) },
    ]),
  ],
}).catch((error) => console.error(error));
