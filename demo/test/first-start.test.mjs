// The first start of `make run`, by its seed and a built service: GLASSHOUSE names the binary (the one in target that was built last). demo/ must
// be built.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { REQUESTS_AS_CRAWLERS } from '../first-start/real.mjs';
import { paths } from '../pages.mjs';
import { DOMAIN, Installation } from './service.mjs';

const installation = new Installation();
before(() => installation.start());
after(() => installation.stop());

/** A first start that is killed as soon as it says something. */
async function cutOffAt(words) {
  const { child, ended, printed } = installation.seed();
  child.stdout.on('data', () => printed().includes(words) && child.kill('SIGKILL'));
  return ended;
}

let first;

test('a first start that was cut off twice goes on and makes everything once', async () => {
  const duringImport = await cutOffAt('making up 45 days');
  const duringAnswers = await cutOffAt('asking the stand-in');
  const { code, printed } = await installation.seed().ended;
  first = await installation.counts();

  assert.equal(duringImport.code, null);
  assert.equal(duringAnswers.code, null);
  assert.equal(code, 0, printed);
  assert.deepEqual({ snapshots: first.snapshots, refreshes: first.refreshes, audits: first.audits }, { snapshots: paths.length, refreshes: 1, audits: 1 });
  assert.deepEqual({ prompts: first.prompts, answers: first.answers, madeUp: first.madeUp }, { prompts: 6, answers: 72, madeUp: 72 });
});

test('every line of the made-up log counted once, with its impostors', () => {
  const { visits } = JSON.parse(readFileSync(join(installation.folder, 'demo-data.json'), 'utf8'));
  const [, lines] = /from (\d+) lines; \d+ lines were counted before, 0 are not of this format, 0 are of other hosts/.exec(visits);

  assert.equal(first.visits, Number(lines) + REQUESTS_AS_CRAWLERS);
  assert.ok(first.visits > 6000);
  assert.equal(first.spoofed, 50);
});

test('the crawler policy logs what it would refuse and refuses nobody, and the sitemap is made of the stored pages', async () => {
  const { mode } = await installation.ask(`/api/domains/${DOMAIN}/crawler-policy`);
  const { files } = await installation.ask(`/api/domains/${DOMAIN}/root-files`);

  assert.equal(mode, 'log');
  assert.ok(REQUESTS_AS_CRAWLERS >= 4);
  assert.deepEqual({ wouldBeRefused: first.wouldBeRefused, refused: first.refused }, { wouldBeRefused: REQUESTS_AS_CRAWLERS, refused: 0 });
  assert.equal(files.find(({ path }) => path === '/sitemap.xml').mode, 'always');
});

test('a second start, with other ports, makes nothing again and says nothing', async () => {
  await installation.stop();
  await installation.start();

  const { code, printed } = await installation.seed().ended;

  assert.equal(code, 0);
  assert.equal(printed, '');
  assert.deepEqual(await installation.counts(), first);
});

test('a question about another brand gets an error and no answer', async () => {
  const question = { domain: DOMAIN, action: 'create', promptText: 'Which dentist in Leeds is best?', intent: 'comm', providers: ['chatgpt'] };
  await installation.ask('/api/ai-mentions/prompts', 'POST', question);
  const until = Date.now() + 20_000;
  let refused;
  while (refused === undefined && Date.now() < until) {
    const { runs } = await installation.ask(`/api/ai-mentions/runs?domain=${DOMAIN}&limit=500`);
    refused = runs.find(({ status }) => status === 'error');
  }

  const details = await installation.ask(`/api/ai-mentions/runs/${refused?.id}`);

  assert.match(details.errorDetail, /answers only the six prompts of the demo domain/);
  assert.equal(details.rawResponse, '');
  assert.equal((await installation.counts()).answers, first.answers);
});

test('a key that comes later pays for no prompt of the demo', async () => {
  const [prompt] = await installation.ask(`/api/ai-mentions/prompts?domain=${DOMAIN}`);
  await installation.stop();
  await installation.start({ 'providers.claude.api_style': 'native', 'providers.claude.demo': false, 'providers.claude.api_key': 'sk-ant-of-the-test' });

  const run = installation.ask(`/api/ai-mentions/prompts/${prompt.id}/run`, 'POST', { providers: ['claude'] });

  await assert.rejects(run, /"error":\s*"budget_spent"/);
  assert.equal((await installation.counts()).answers, first.answers);
});

test('audits come every day by themselves', async () => {
  assert.equal((await installation.ask(`/api/domains/${DOMAIN}/auditing`)).frequency, 'daily');
});

test('a revoked key is named with what to do, once for each part', async () => {
  const fresh = mkdtempSync(join(installation.folder, 'fresh-'));

  const { code, printed } = await installation.seed({ key: 'gh_live_revoked', folder: fresh }).ended;

  assert.equal(code, 1);
  assert.match(printed, /demo, snapshots: the key of make run was revoked: delete run-credentials in the data folder and start again/);
  assert.match(printed, /demo: not all of it is there; start again, and it goes on where it was\n$/);
});
