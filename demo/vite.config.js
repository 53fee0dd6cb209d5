// Build of the demo site. (package.json pins rollup to a version that is published for every platform: npm ci insists.)
//  `npm run dev` serves sources with reloading and takes data from server.mjs on port 4321.
import { defineConfig } from 'vite';

export default defineConfig({
  esbuild: { jsx: 'automatic' },
  build: {
    // The router marks modules for server components, which this site does not have.
    rollupOptions: { onwarn: (warning, warn) => warning.code !== 'MODULE_LEVEL_DIRECTIVE' && warn(warning) },
  },
  server: { host: '127.0.0.1', proxy: { '/api': 'http://127.0.0.1:4321' } },
});
