// Starts the dashboard in the page that the service sends for every path.
import { mount } from 'svelte';
import App from './app.svelte';
import { session } from './api/session.svelte';
import { startRouting } from './routes';
import './styles/tokens.css';
import './styles/base.css';
import './styles/controls.css';
import './styles/tables.css';

startRouting();
// Asked while the screen loads. A public page is nobody's session.
if (!location.pathname.startsWith('/share/')) void session.find();

// A page that the browser kept shows nothing of an account until it has been asked again who is signed in.
window.addEventListener('pagehide', (event) => {
  if (event.persisted) document.documentElement.hidden = true;
});
window.addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload();
});

const target = document.getElementById('app');
if (target === null) throw new Error('the page has no element for the application');
mount(App, { target });
