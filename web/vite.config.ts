// The build of the dashboard: what index.html loads, into dist, which the binary embeds. `vite dev` also serves kit.html.
// Must never write a script or a style into the page: the policy of the service refuses both.
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

const TABLE = /components[\\/]table[\\/]|@tanstack[\\/](svelte-)?virtual/;

export default defineConfig({
  plugins: [svelte()],
  build: {
    target: 'es2023',
    // Files inside the page or a style sheet would be data: addresses, which the policy allows for pictures only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // A browser opens six connections to a server without TLS: few files of some size come sooner than seventy small ones.
    // See docs/decisions/0370.
    cssCodeSplit: false,
    rolldownOptions: {
      checks: { pluginTimings: false },
      output: {
        codeSplitting: {
          groups: [
            { name: 'start', tags: ['$initial'], priority: 3 },
            { name: 'common', test: (id) => !TABLE.test(id), minShareCount: 14, maxModuleSize: 6_000, priority: 2 },
            { name: 'shared', minShareCount: 2, entriesAware: true },
          ],
        },
        chunkFileNames: ({ name }) => `assets/${name.startsWith('shared~') ? 'shared' : '[name]'}-[hash].js`,
      },
    },
    // Read by scripts/sizes.mjs; scripts/compress.mjs moves it out of the folder.
    manifest: 'manifest.json',
  },
  server: {
    // The snippets of `integrations`, which the set-up shows, are beside this folder.
    fs: { allow: ['..'] },
    // A running service, for development: `make run`, then `npm run dev`.
    proxy: { '/api': process.env.GLASSHOUSE ?? 'http://127.0.0.1:3000' },
  },
  test: { include: ['src/**/*.test.ts', 'lint/**/*.test.js', 'scripts/**/*.test.mjs'], environment: 'node' },
});
