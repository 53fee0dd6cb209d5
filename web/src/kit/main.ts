// Starts the kit: every component in every state, for those who build screens. Served by `vite dev` at /kit.html; no part of a build.
import { mount } from 'svelte';
import Kit from './kit.svelte';
import '../styles/tokens.css';
import '../styles/base.css';
import '../styles/controls.css';
import '../styles/tables.css';

const target = document.getElementById('app');
if (target !== null) mount(Kit, { target });
