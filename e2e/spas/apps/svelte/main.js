// Svelte 5: runes, styles in scope, transitions and svelte:head.
import { mount } from 'svelte';
import App from './App.svelte';

mount(App, { target: document.getElementById('root') });
