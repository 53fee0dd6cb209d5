// The stand-in for assistants: what it answers, and above all what it refuses. node --test demo/test/
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { MODEL, serveAssistants } from '../assistants.mjs';
import { answer, ASSISTANTS } from '../made/answers.mjs';
import { OWN } from '../made/brands.mjs';
import { PROMPTS } from '../made/prompts.mjs';
import { paths } from '../pages.mjs';

let server;
let address;
before(async () => {
  server = await serveAssistants(0);
  address = `http://127.0.0.1:${server.address().port}`;
});
after(() => server.close());

async function ask(question, { assistant = 'chatgpt', ...more } = {}) {
  const response = await fetch(`${address}/${assistant}/v1/chat/completions`, {
    method: 'POST', body: JSON.stringify({ model: MODEL, messages: [{ role: 'system', content: 'Answer.' }, { role: 'user', content: question }], ...more }),
  });
  return { status: response.status, body: await response.json() };
}

test('every question but the six of the demo is refused with what to do', async () => {
  const others = ['What is the best CRM for dentists?', 'Is Glasshouse any good?', '', `${PROMPTS[0].text} And which plumber?`, PROMPTS[0].text.slice(1), 'toString'];

  for (const question of others) {
    const { status, body } = await ask(question);

    assert.equal(status, 422, question);
    assert.equal(body.error.code, 'not_a_demo_prompt');
    assert.match(body.error.message, /answers only the six prompts of the demo domain.*Set the key/);
    assert.equal(body.choices, undefined);
  }
});

test('a task that is no question of a person is refused', async () => {
  const { status } = await ask(PROMPTS[0].text, { response_format: { type: 'json_schema', json_schema: { schema: {} } } });

  assert.equal(status, 422);
});

test('each assistant answers each of the six prompts with sources', async () => {
  for (const assistant of Object.keys(ASSISTANTS)) {
    for (const { text } of PROMPTS) {
      const { status, body } = await ask(` ${text}\n`, { assistant });

      assert.equal(status, 200);
      assert.ok(body.choices[0].message.content.length > 80);
      assert.ok(body.citations.length > 0);
      assert.equal(body.model, MODEL);
    }
  }
});

test('what is malformed is a clear error', async () => {
  const post = (path, body) => fetch(address + path, { method: 'POST', body });

  assert.equal((await post('/chatgpt/v1/chat/completions', 'no json')).status, 400);
  assert.equal((await post('/chatgpt/v1/chat/completions', 'null')).status, 400);
  assert.equal((await post('/chatgpt/v1/chat/completions', '{"messages": "x"}')).status, 400);
  assert.equal((await post('/constructor/v1/chat/completions', '{}')).status, 404);
  assert.equal((await post('/chatgpt/v1/embeddings', '{}')).status, 404);
  assert.equal((await post('/chatgpt/v1/chat/completions', 'x'.repeat(1024 * 1024 + 1))).status, 413);
});

/** Answers of 20 days, three a day. */
function answersOf(assistant) {
  const days = Array.from({ length: 20 }, (_, day) => new Date(Date.UTC(2026, 10, 1 + day)).toISOString().slice(0, 10));
  return days.flatMap((day) => PROMPTS.flatMap((prompt) => [0, 1, 2].map((turn) => ({ prompt, ...answer({ assistant, prompt, day, turn }) }))));
}

test('the same occasion gives the same answer, another one others', () => {
  const occasion = { assistant: 'claude', prompt: PROMPTS[0], day: '2026-11-26', turn: 0 };
  const over = (list) => new Set(list.map((change) => answer({ ...occasion, ...change }).text)).size;

  assert.deepEqual(answer(occasion), answer(occasion));
  assert.ok(over([1, 2, 3, 4, 5].map((turn) => ({ turn }))) > 2);
  assert.ok(over([1, 2, 3, 4, 5].map((day) => ({ day: `2026-12-0${day}` }))) > 2);
  assert.ok(over(Object.keys(ASSISTANTS).map((assistant) => ({ assistant }))) === 4);
});

test('each assistant names the shop sometimes and sometimes not', () => {
  for (const assistant of Object.keys(ASSISTANTS)) {
    const answers = answersOf(assistant).filter(({ prompt }) => !prompt.text.includes(OWN));
    const share = answers.filter(({ text }) => text.includes(OWN)).length / answers.length;

    assert.ok(share > 0.2 && share < 0.9, `${assistant}: ${share}`);
  }
});

test('sources are pages of the shop, or of names that cannot exist', () => {
  for (const { citations, found, text } of answersOf('perplexity')) {
    for (const { url, title } of [...citations, ...found]) {
      const { hostname, pathname } = new URL(url);
      const isOwn = hostname === 'demo.glasshouse.test' && paths.includes(pathname);

      assert.ok(isOwn || hostname.endsWith('.example'), url);
      assert.notEqual(title, '');
    }
    const marks = [...text.matchAll(/\[(\d+)\]/g)].map(([, number]) => Number(number));
    assert.ok(marks.every((number) => number >= 1 && number <= citations.length), text);
    assert.equal(new Set(marks).size, citations.length, text);
  }
});
