// Lint rules of the page script.
import globals from 'globals';

// Built-ins that pages replace, and syntax that calls them implicitly. `src/intrinsics` and `src/native.js` have copies (docs/decisions/0100).
const REPLACED = [
  'Array', 'CustomEvent', 'DOMParser', 'Event', 'JSON', 'Map', 'Math', 'Number', 'Object', 'Promise', 'Proxy', 'Reflect', 'Set', 'String', 'URL', 'WeakMap', 'WeakSet',
  'clearTimeout', 'fetch', 'getComputedStyle', 'matchMedia', 'queueMicrotask', 'requestAnimationFrame', 'setInterval', 'setTimeout',
];
const ITERATES = ['ForOfStatement', 'ArrayPattern', 'CallExpression > SpreadElement', 'ArrayExpression > SpreadElement'];
const METHODS_OF_OTHERS =
  'CallExpression[callee.property.name=/^(push|pop|filter|map|some|every|find|join|slice|splice|trim|split|replace|includes|startsWith|test|exec|then|catch|querySelector|querySelectorAll|getAttribute|setAttribute|append|appendChild|toLowerCase)$/]';

export default [
  { ignores: ['bundle.js'] },
  {
    files: ['src/**/*.js'],
    languageOptions: { ecmaVersion: 'latest', sourceType: 'module', globals: { ...globals.browser, renderOptions: 'readonly', RULES: 'readonly' } },
    linterOptions: { reportUnusedDisableDirectives: true },
    rules: {
      'no-undef': 'error',
      'no-unused-vars': 'error',
      'no-const-assign': 'error',
      'no-redeclare': 'error',
      'no-shadow': 'error',
      'no-var': 'error',
      'prefer-const': 'error',
      eqeqeq: 'error',
      'no-fallthrough': 'error',
      'no-eval': 'error',
      'no-unreachable': 'error',
      'no-console': 'error',
      'max-lines': ['error', 400],
    },
  },
  {
    files: ['src/**/*.js'],
    ignores: ['src/intrinsics/**', 'src/native.js'],
    rules: {
      'no-restricted-globals': ['error', ...REPLACED],
      'no-restricted-syntax': ['error', ...ITERATES, METHODS_OF_OTHERS],
    },
  },
];
