// GraphQL with two clients: a list by urql, then one article by graphql-request; every query is a POST to one address.
import { Client, fetchExchange, gql } from '@urql/core';
import { GraphQLClient } from 'graphql-request';

const url = new URL('/api/graphql', location.href).href;
const client = new Client({ url, exchanges: [fetchExchange], preferGetMethod: false });
const plain = new GraphQLClient(url);
const root = document.getElementById('root');
root.innerHTML = '<h1>Letters to the editor</h1><p id="wait">The letters are being opened.</p>';

const { data } = await client.query(gql`query List { articles { id title summary } }`, {}).toPromise();
const list = document.createElement('ol');
for (const article of data.articles) {
  const item = document.createElement('li');
  item.innerHTML = `<h2>${article.title}</h2><p>${article.summary}</p>`;
  list.append(item);
}
document.getElementById('wait').replaceWith(list);

for (const { id } of data.articles) {
  const { article } = await plain.request(`query One { article(id: "${id}") { author paragraphs } }`);
  const answer = document.createElement('p');
  answer.textContent = `${article.author} answers in ${article.paragraphs.length} paragraphs, of which the last one reads: ${article.paragraphs.at(-1)}`;
  list.children[data.articles.findIndex((one) => one.id === id)].append(answer);
}
document.title = `${data.articles.length} letters to the editor`;
