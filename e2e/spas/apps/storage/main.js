// What a browser keeps for a page: rows in IndexedDB through Dexie, read in order, and a worker that is called like an object.
import * as Comlink from 'comlink';
import Dexie from 'dexie';

const root = document.getElementById('root');
const add = (name, text) => root.append(Object.assign(document.createElement(name), { textContent: text }));
const get = async (url) => (await fetch(url)).json();

document.title = 'The store room';
add('h1', 'The store room');

const room = new Dexie('room');
room.version(1).stores({ goods: 'id,name' });
await room.goods.bulkPut(await get('/api/products'));
for (const { name, text } of await room.goods.orderBy('name').toArray()) add('p', `${name}. ${text}`);

const clerk = Comlink.wrap(new Worker('/storage/assets/worker.js', { type: 'module' }));
add('h2', await clerk.greet());
for (const line of await clerk.read()) add('p', line);
add('footer', 'Everything has been put away and found again.');
