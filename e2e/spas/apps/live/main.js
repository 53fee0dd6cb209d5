// Data that the server pushes: a WebSocket and an event stream, both open for as long as the page is; and a worker.
const root = document.getElementById('root');
document.title = 'The shed, live';
root.innerHTML = '<h1>The shed, live</h1><ul id="stock"></ul><ul id="news"></ul><p id="sum">The sum is being added up.</p>';

const socket = new WebSocket(new URL('/ws', location.href.replace(/^http/, 'ws')));
socket.addEventListener('message', ({ data }) => {
  document.getElementById('stock').innerHTML = JSON.parse(data).rows.map((row) => `<li>${row.name}: ${row.stock} pieces on the shelf</li>`).join('');
});

const events = new EventSource('/api/events');
events.addEventListener('news', ({ data }) => {
  document.getElementById('news').innerHTML = JSON.parse(data).map((line) => `<li>${line.text}</li>`).join('');
});

const source = 'onmessage = ({ data }) => postMessage(data.reduce((sum, one) => sum + one.stock, 0));';
const worker = new Worker(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })));
worker.onmessage = ({ data }) => { document.getElementById('sum').textContent = `In all there are ${data} pieces in the shed.`; };
fetch('/api/products').then((answer) => answer.json()).then((rows) => worker.postMessage(rows));
