// Builds every app under apps/ into dist/<app>/. An app is a folder with a main file, and with a worker.js if it wants one;
// `node build.mjs react vue` builds some.
// Used by run.mjs (which builds when dist/ is missing or older than apps/) and by `npm run build`.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import babel from '@babel/core';
import esbuild from 'esbuild';
import { compile } from 'svelte/compiler';

const here = path.dirname(fileURLToPath(import.meta.url));
const ENTRIES = ['main.jsx', 'main.tsx', 'main.ts', 'main.js'];

const svelte = {
  name: 'svelte',
  setup(build) {
    build.onLoad({ filter: /\.svelte$/ }, ({ path: file }) => {
      const { js } = compile(fs.readFileSync(file, 'utf8'), { filename: file, generate: 'client', css: 'injected' });
      return { contents: js.code, loader: 'js', resolveDir: path.dirname(file) };
    });
  },
};

const solid = {
  name: 'solid',
  setup(build) {
    build.onLoad({ filter: /apps[\\/]solid[\\/].*\.jsx$/ }, async ({ path: file }) => {
      const { code } = await babel.transformFileAsync(file, { cwd: here, presets: ['solid'], configFile: false, babelrc: false });
      return { contents: code, loader: 'js', resolveDir: path.dirname(file) };
    });
  },
};

function shell(app, folder, hasStyles) {
  const own = path.join(folder, 'index.html');
  const html = fs.existsSync(own)
    ? fs.readFileSync(own, 'utf8')
    : `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Loading</title>
<!--styles-->
<script type="module" src="/${app}/assets/main.js"></script>
</head>
<body>
<div id="root"></div>
<noscript>Please switch on JavaScript to read this page.</noscript>
</body>
</html>
`;
  return html.replace('<!--styles-->', hasStyles ? `<link rel="stylesheet" href="/${app}/assets/main.css">` : '');
}

export async function build(names = fs.readdirSync(path.join(here, 'apps')).sort()) {
  for (const app of names) {
    const folder = path.join(here, 'apps', app);
    const entry = ENTRIES.map((name) => path.join(folder, name)).find((file) => fs.existsSync(file));
    if (!entry) throw new Error(`apps/${app} has no main file`);
    const worker = path.join(folder, 'worker.js');
    const out = path.join(here, 'dist', app);
    fs.rmSync(out, { recursive: true, force: true });
    await esbuild.build({
      absWorkingDir: here,
      entryPoints: fs.existsSync(worker) ? { main: entry, worker } : { main: entry },
      outdir: path.join(out, 'assets'),
      bundle: true,
      splitting: true,
      format: 'esm',
      target: 'es2022',
      minify: true,
      jsx: 'automatic',
      conditions: ['browser', 'production'],
      mainFields: ['browser', 'module', 'main'],
      define: { 'process.env.NODE_ENV': '"production"', __VUE_OPTIONS_API__: 'true', __VUE_PROD_DEVTOOLS__: 'false', __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false', ngDevMode: 'false' },
      alias: { vue: 'vue/dist/vue.esm-bundler.js' },
      tsconfigRaw: { compilerOptions: { experimentalDecorators: true, useDefineForClassFields: false } },
      plugins: [svelte, solid],
      logLevel: 'warning',
    });
    fs.writeFileSync(path.join(out, 'index.html'), shell(app, folder, fs.existsSync(path.join(out, 'assets', 'main.css'))));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const names = process.argv.slice(2);
  await build(names.length > 0 ? names : undefined);
}
