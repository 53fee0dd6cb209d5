// Rules of snippets: places that are filled in, and those that are left to the reader.
import { expect, test } from 'vitest';
import { fillSnippet } from './integrations';

const values = { domain: 'shop.test', serviceUrl: 'https://glass.example', edgeAddress: null };

test('domain and service are filled in, the key is left to the reader', () => {
  const filled = fillSnippet("url '__SERVICE_URL__' key '__API_KEY__' of '__DOMAIN__' and '__DOMAIN__'", values);

  expect(filled.text).toBe("url 'https://glass.example' key '__API_KEY__' of 'shop.test' and 'shop.test'");
  expect(filled.places).toEqual(['API_KEY']);
});

test('addresses of servers are named when they are not known', () => {
  const template = 'server __APP_ADDRESS__; server __EDGE_ADDRESS__;';

  expect(fillSnippet(template, values).places).toEqual(['APP_ADDRESS', 'EDGE_ADDRESS']);
  expect(fillSnippet(template, { ...values, edgeAddress: '192.0.2.1:80' })).toEqual({
    text: 'server __APP_ADDRESS__; server 192.0.2.1:80;',
    places: ['APP_ADDRESS'],
  });
});
