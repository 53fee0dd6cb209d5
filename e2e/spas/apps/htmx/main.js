// htmx: parts of the page that the server writes, when they are revealed, when the page has loaded, and a moment later.
import htmx from 'htmx.org';

document.title = 'Diary of the house';
document.getElementById('root').innerHTML = `<h1>Diary of the house</h1>
  <div hx-get="/api/fragment/1" hx-trigger="load">The first week is being copied.</div>
  <div hx-get="/api/fragment/2" hx-trigger="load delay:400ms">The second week is being copied.</div>
  <p style="margin-bottom: 1600px">In between nothing was written for a long time.</p>
  <div hx-get="/api/fragment/3" hx-trigger="revealed">The third week is being copied.</div>
  <p style="margin-bottom: 900px">It rained.</p>
  <div hx-get="/api/fragment/4" hx-trigger="revealed" hx-swap="outerHTML">The fourth week is being copied.</div>`;
htmx.process(document.body);
