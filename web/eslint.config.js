// Lint rules of the dashboard. What types cannot say is said here: who may import whom, where text and requests may stand.
import js from '@eslint/js';
import svelte from 'eslint-plugin-svelte';
import globals from 'globals';
import ts from 'typescript-eslint';
import layers from './lint/layers.js';
import words from './lint/words.js';
import svelteConfig from './svelte.config.js';

const REQUESTS = ['fetch', 'EventSource', 'XMLHttpRequest', 'WebSocket'];
const ONLY_API = 'Requests are made in src/api only.';

export default ts.config(
  { ignores: ['dist', 'node_modules'] },
  js.configs.recommended,
  ...ts.configs.strict,
  ...svelte.configs.recommended,
  {
    languageOptions: { globals: { ...globals.browser, ...globals.node } },
    linterOptions: { reportUnusedDisableDirectives: true },
    plugins: { local: { rules: { layers, words } } },
    rules: {
      'max-lines': ['error', 300],
      'no-console': 'error',
      eqeqeq: 'error',
      // A set that is copied on each change is reactive as it is.
      'svelte/prefer-svelte-reactivity': 'off',
      // Links of the application are plain anchors; src/routes.ts follows them.
      'svelte/no-navigation-without-resolve': 'off',
      // A named snippet stands beside those of the other states.
      'svelte/no-useless-children-snippet': 'off',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-invalid-void-type': 'off',
    },
  },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: ts.parser, extraFileExtensions: ['.svelte'], svelteConfig } },
  },
  {
    files: ['src/**'],
    rules: {
      'local/layers': 'error',
      'no-restricted-imports': [
        'error',
        { paths: [{ name: 'sv-router', message: 'Only src/routes.ts knows the router.' }] },
      ],
      'no-restricted-globals': ['error', ...REQUESTS.map((name) => ({ name, message: ONLY_API }))],
      'no-restricted-properties': [
        'error',
        ...REQUESTS.flatMap((property) =>
          ['window', 'globalThis', 'self'].map((object) => ({ object, property, message: ONLY_API })),
        ),
        { object: 'navigator', property: 'sendBeacon', message: ONLY_API },
      ],
    },
  },
  { files: ['scripts/**'], rules: { 'no-console': 'off' } },
  { files: ['src/routes.ts'], rules: { 'no-restricted-imports': 'off' } },
  { files: ['src/api/**'], rules: { 'no-restricted-globals': 'off', 'no-restricted-properties': 'off' } },
  {
    files: ['src/**/*.svelte'],
    rules: {
      'svelte/no-at-html-tags': 'error',
      'no-restricted-syntax': [
        'error',
        {
          selector: 'SvelteAttribute[key.name="style"]',
          message: 'The policy refuses style attributes: use a class, or style: for a value.',
        },
      ],
    },
  },
  { files: ['src/**/*.svelte'], ignores: ['src/kit/**'], rules: { 'local/words': 'error' } },
);
