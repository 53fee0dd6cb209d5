// Options of the Svelte compiler, for Vite, svelte-check and the editor.
export default {
  compilerOptions: { runes: true },
};
