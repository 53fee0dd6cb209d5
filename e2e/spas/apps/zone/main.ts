// Angular with zone.js: a classic app whose view follows its fields, because timers, promises and requests are zone.js's own.
import 'zone.js';
import '@angular/compiler';
import { HttpClient, provideHttpClient } from '@angular/common/http';
import { Component, inject, provideZoneChangeDetection } from '@angular/core';
import { bootstrapApplication, Meta, Title } from '@angular/platform-browser';
import { delay } from 'rxjs';

@Component({
  selector: 'app-root',
  standalone: true,
  styles: ['h1 { color: rgb(120, 60, 20); } li { margin: 6px 0; } .note { font-style: italic; }'],
  template: `
    <h1>{{ heading }}</h1>
    <p class="note">{{ note }}</p>
    @if (articles) {
      <ol>@for (article of articles; track article.id) { <li>{{ article.title }}, by {{ article.author }}. {{ article.summary }}</li> }</ol>
    } @else { <p>The magazine is being printed.</p> }
    @if (last) { <p>The last word has {{ last }}.</p> }`,
})
class Root {
  heading = 'The magazine of the glass house';
  note = 'The ink is still wet.';
  articles: any[] | null = null;
  last = '';
  constructor() {
    const http = inject(HttpClient);
    inject(Title).setTitle(this.heading);
    inject(Meta).updateTag({ name: 'description', content: 'Everything that was written under glass this year.' });
    http.get<any[]>('/api/articles?wait=150').pipe(delay(300)).subscribe((list) => {
      this.articles = list;
      Promise.resolve(list.at(-1)).then((article) => setTimeout(() => (this.last = article.author), 400));
    });
    setTimeout(() => (this.note = 'The ink has dried.'), 700);
  }
}

document.getElementById('root')!.append(document.createElement('app-root'));
bootstrapApplication(Root, { providers: [provideZoneChangeDetection(), provideHttpClient()] }).catch((error) => console.error(error));
