// The local lint rules against examples of what they refuse and allow.
import { Linter } from 'eslint';
import parser from 'svelte-eslint-parser';
import { expect, test } from 'vitest';
import { troubleOf } from './layers.js';
import words from './words.js';

const found = (markup) =>
  new Linter()
    .verify(
      markup,
      {
        files: ['**/*.svelte'],
        languageOptions: { parser },
        plugins: { local: { rules: { words } } },
        rules: { 'local/words': 'error' },
      },
      'x.svelte',
    )
    .map((message) => message.message);

test('features, components and lib keep to their layer', () => {
  const refused = [
    ['/w/src/features/audits/run.svelte', '../mentions/list'],
    ['/w/src/features/audits/run.svelte', '../../main'],
    ['/w/src/components/button.svelte', '../api/client'],
    ['/w/src/components/table/data-table.svelte', '../../features/audits/x'],
    ['/w/src/components/link.svelte', '../routes'],
    ['/w/src/lib/numbers.ts', '../api/client'],
    ['/w/src/lib/numbers.ts', '../messages/common'],
    ['/w/src/api/client.ts', '../features/session/x'],
    ['/w/src/messages/common.ts', '../components/x'],
  ];
  const allowed = [
    ['/w/src/features/audits/run.svelte', './row'],
    ['/w/src/features/audits/parts/run.svelte', '../row'],
    ['/w/src/features/audits/run.svelte', '../../routes'],
    ['/w/src/features/audits/run.svelte', '../../api/queries'],
    ['/w/src/components/table/data-table.svelte', '../button.svelte'],
    ['/w/src/components/button.svelte', '../messages/common'],
    ['/w/src/routes.ts', './features/audits/run.svelte'],
    ['/w/src/lib/numbers.ts', 'd3-array'],
  ];

  for (const [file, imported] of refused) expect(troubleOf(file, imported), `${file} ${imported}`).not.toBeNull();
  for (const [file, imported] of allowed) expect(troubleOf(file, imported), `${file} ${imported}`).toBeNull();
});

test('words in markup are found', () => {
  for (const markup of [
    '<p>Try again</p>',
    '<button aria-label="Close">x{1}</button>',
    "<p>{'Save'}</p>",
    '<p title={`Page ${n}`}></p>',
    '<Field label="Name" />',
    '<input placeholder="example.com" />',
  ]) {
    expect(found(markup), markup).not.toEqual([]);
  }
});

test('punctuation, figures and messages are no words', () => {
  for (const markup of [
    '<p>{m.save()} · 3</p>',
    '<p class="row">{count}</p>',
    '<Field label={m.name()} />',
    '<style>a{}</style>',
  ]) {
    expect(found(markup), markup).toEqual([]);
  }
});
