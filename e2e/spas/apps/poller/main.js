// An app that never rests: it polls twice a second, keeps a request open for ever, and ticks.
const root = document.getElementById('root');
document.title = 'The watch by the door';
root.innerHTML = '<h1>The watch by the door</h1><p id="visitors">Nobody has been counted yet.</p><p id="lamp">The lamp is <b>on</b>.</p><div id="articles"></div>';

const poll = async () => {
  const { visitors } = await (await fetch('/api/ping')).json();
  document.getElementById('visitors').textContent = `There are ${visitors} visitors in the house at the moment.`;
};
poll();
setInterval(poll, 150);
fetch('/api/hang').catch(() => {});
let on = true;
setInterval(() => { on = !on; document.getElementById('lamp').style.opacity = on ? '1' : '1.0'; }, 100);

const articles = await (await fetch('/api/articles?wait=200')).json();
document.getElementById('articles').innerHTML = articles.map((one) => `<h2>${one.title}</h2><p>${one.summary}</p>`).join('');
navigator.sendBeacon('/api/ping', 'seen');
fetch('/api/ping', { method: 'POST', keepalive: true });
