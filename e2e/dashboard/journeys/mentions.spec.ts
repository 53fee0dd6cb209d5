// AI mentions: what the API says is what the screens show, and what a person does there is in the API afterwards. One account with
// answers of the stand-ins serves all of them; they run one after the other.
import { request as requests, type APIRequestContext, type Page } from '@playwright/test';
import { contrast, settle, violations } from '../accessibility/violations.ts';
import { expect, signIn, test } from '../fixtures.ts';
import { createAccount, newDomain, runningService, type Account } from '../world/accounts.ts';
import { askPrompts, send, untilAnswered, untilReported } from '../world/assistants.ts';

test.describe.configure({ mode: 'default' });

const BEST = 'What is the best documentation tool for startups?';
const HOST = 'Which tools host developer documentation?';
const LONG = 'Which documentation tool is cut short?';
const REFUSED = 'Which documentation tool is never answered?';

interface Prompt {
  id: string;
  promptText: string;
  active: number;
  tags: string;
  intent: string;
  aiProviders: string[];
}
interface Run {
  id: string;
  promptId: string;
  provider: string;
  finish: string;
  mentionPosition: number;
}
interface Summary {
  totalResponses: number;
  totalMentions: number;
  visibilityRate: number;
}

let account: Account;
let domain: string;
let api: APIRequestContext;
let reportId: string;

async function read<T>(where: string, params: Record<string, string | number> = {}): Promise<T> {
  const answer = await api.get(`/api/ai-mentions/${where}`, { params: { domain, ...params } });
  expect(answer.status()).toBe(200);
  return (await answer.json()) as T;
}

const promptNamed = async (text: string) =>
  (await read<Prompt[]>('prompts')).find((prompt) => prompt.promptText === text) as Prompt;
const runsOf = async (params: Record<string, string | number>) => (await read<{ runs: Run[] }>('runs', params)).runs;

async function show(page: Page, where: string): Promise<void> {
  await page.goto(`/d/${domain}/mentions${where}`);
  await expect(page.getByText(/^Loading /)).toHaveCount(0);
}

const toast = (page: Page, text: string | RegExp) => page.getByRole('status').filter({ hasText: text });

test.beforeAll(async ({ playwright }, info) => {
  info.setTimeout(150_000);
  domain = newDomain('docs');
  account = await createAccount({ domains: [domain] });
  const { address, assistants } = runningService();
  api = await requests.newContext({ baseURL: address });
  expect((await api.post('/api/session', { data: account })).status()).toBe(204);
  const stand = await playwright.request.newContext({ baseURL: assistants ?? '' });
  const scenarios = [
    { vendor: 'openai', question: LONG, fault: 'incomplete' },
    { vendor: 'openai', question: REFUSED, fault: 'refusal' },
    { vendor: 'dataforseo', question: HOST, fault: 'absent' },
  ];
  expect((await stand.post('/_scenario', { data: scenarios })).status()).toBe(200);
  await stand.dispose();
  const brand = {
    name: 'LumaDocs',
    aliases: [],
    domains: [domain, 'lumadocs.io'],
    competitors: [{ name: 'Notchly', domains: ['notchly.com'], status: 'tracked' }],
  };
  expect((await send(api, 'PUT', `/api/domains/${domain}/brand`, brand)).status).toBe(200);
  await askPrompts(api, domain, [
    { promptText: BEST, tags: 'docs' },
    { promptText: HOST, intent: 'info' },
    { promptText: 'Is LumaDocs any good?', intent: 'info' },
    { promptText: LONG, providers: ['chatgpt'] },
    { promptText: REFUSED, providers: ['chatgpt'] },
  ]);
  reportId = await untilReported(api, domain);
});

test.afterAll(() => api.dispose());

test.beforeEach(({ context }) => signIn(context, account));

test('the overview says what the API says, without prompts that name the brand until the switch counts them', async ({
  page,
}) => {
  const without = (await read<{ summary: Summary }>('prompt-stats', { branded: 'false' })).summary;
  const all = (await read<{ summary: Summary }>('prompt-stats')).summary;
  expect(all.totalResponses).toBeGreaterThan(without.totalResponses);
  await show(page, '');
  const lede = (summary: Summary) =>
    page.getByText(`Assistants name LumaDocs in ${summary.totalMentions} of ${summary.totalResponses} answers`);
  await expect(lede(without)).toBeVisible();
  await expect(page.getByText(`That is ${without.visibilityRate.toFixed(1)}% (95%: `)).toBeVisible();
  for (const name of ['Visibility', 'What to do', 'Prompts', 'Share of voice', 'Latest answer that changed'])
    await expect(page.getByRole('region', { name, exact: true })).toBeVisible();

  await page.getByLabel('Leave out prompts with your name').click();

  await expect(lede(all)).toBeVisible();
  await expect(page).toHaveURL(/branded=yes/);
  await page.getByRole('group', { name: 'Measure' }).getByRole('button', { name: 'Position' }).click();
  await page.reload();
  await expect(lede(all)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Position', exact: true })).toHaveAttribute('aria-pressed', 'true');
  await page.goBack();
  await page.goBack();
  await expect(lede(without)).toBeVisible();
});

test('many prompts are added at once, with their cost before the button', async ({ page }) => {
  await show(page, '/prompts');
  await page.getByRole('button', { name: 'Add prompts' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add prompts' });
  await dialog
    .getByLabel('Prompts, one per line')
    .fill(`How do I publish an API reference?\nHow do I version docs?\n${BEST}`);
  await dialog.getByLabel('AI Overviews').uncheck();
  await dialog.getByLabel('Perplexity').uncheck();
  await expect(dialog.getByLabel('Claude')).toBeDisabled();
  await dialog.getByLabel('How often').selectOption({ label: 'Every month' });
  await dialog.getByLabel('Tags').fill('UPPER');
  await expect(dialog.getByLabel('Tags')).toHaveAttribute('aria-invalid', 'true');
  await dialog.getByLabel('Tags').fill('howto');
  const cost = dialog.getByRole('region', { name: 'Cost' });
  await expect(cost).toContainText('6 questions, at most about $');
  await dialog.getByLabel('Start paused').check();
  await expect(cost).toContainText('0 questions');

  await dialog.getByRole('button', { name: 'Add prompts' }).click();

  await expect(dialog.getByRole('alert')).toContainText('1 prompt exists already');
  const made = await promptNamed('How do I version docs?');
  expect(made).toMatchObject({ active: 0, tags: 'howto', intent: 'comm' });
  expect(made.aiProviders.toSorted()).toEqual(['chatgpt', 'gemini']);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByRole('table', { name: 'Prompts' }).getByText('How do I version docs?')).toBeVisible();
});

test('one answer is shown with its price before a prompt is asked on a schedule, from a chosen place', async ({
  page,
}) => {
  const text = 'Which tool keeps docs in step with code?';
  await show(page, '/prompts');
  await page.getByRole('button', { name: 'Add prompts' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add prompts' });
  await dialog.getByLabel('Prompts, one per line').fill(text);
  await dialog.getByLabel('Place').selectOption({ label: 'Germany' });
  const sample = dialog.getByRole('region', { name: 'One sample answer' });

  await sample.getByRole('button', { name: /^Ask once, at most \$/ }).click();

  await expect(sample.getByRole('status')).toContainText(`answers “${text}”`, { timeout: 30_000 });
  await expect.poll(async () => (await promptNamed(text)).active).toBe(0);
  await dialog.getByLabel('Tags').fill('sampled');
  await dialog.getByRole('button', { name: 'Add prompts' }).click();
  await expect(dialog).toHaveCount(0);
  await expect.poll(() => promptNamed(text)).toMatchObject({ active: 1, tags: 'sampled' });
});

test('a prompt is paused and undone, edited, and deleted after a question', async ({ page }) => {
  await askPrompts(api, domain, [{ promptText: 'Which prompt goes away?', active: 0 }]);
  await show(page, '/prompts');
  await page.getByRole('button', { name: `Pause ${HOST}` }).click();
  await expect(toast(page, 'Prompt paused.')).toBeVisible();
  expect((await promptNamed(HOST)).active).toBe(0);
  await expect(page.getByRole('button', { name: `Resume ${HOST}` })).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(toast(page, 'Prompt resumed.')).toBeVisible();
  expect((await promptNamed(HOST)).active).toBe(1);
  await page.getByRole('button', { name: 'Edit Which prompt goes away?' }).click();
  const dialog = page.getByRole('dialog', { name: 'Edit prompt' });
  await dialog.getByLabel('Intent').selectOption({ label: 'Transactional' });
  await dialog.getByLabel('Tags').fill('going, away');
  await dialog.getByRole('button', { name: 'Save changes' }).click();
  await expect(toast(page, 'Prompt saved.')).toBeVisible();
  expect(await promptNamed('Which prompt goes away?')).toMatchObject({
    intent: 'trans',
    tags: 'going,away',
    active: 0,
  });
  const remove = page.getByRole('button', { name: 'Delete Which prompt goes away?' });
  await remove.click();
  await page.getByRole('dialog', { name: 'Delete prompt?' }).getByRole('button', { name: 'Keep prompt' }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(remove).toBeFocused();

  await remove.press('Enter');
  await page.getByRole('dialog', { name: 'Delete prompt?' }).getByRole('button', { name: 'Delete prompt' }).click();

  await expect(remove).toHaveCount(0);
  expect(await promptNamed('Which prompt goes away?')).toBeUndefined();
});

test('one prompt is asked now, and its answers come without a reload', async ({ page }) => {
  const prompt = await promptNamed(BEST);
  await show(page, `/prompts/${prompt.id}`);
  await expect(page.getByRole('heading', { level: 1, name: BEST })).toBeVisible();
  const answers = page.getByRole('table', { name: 'Answers' });
  await expect(answers.getByRole('row')).toHaveCount(5);

  await page.getByRole('button', { name: 'Ask now' }).click();

  await expect(toast(page, '4 questions queued.')).toBeVisible();
  await expect(answers.getByRole('row')).toHaveCount(9);
  await untilAnswered(api, domain);
  expect(await runsOf({ promptId: prompt.id })).toHaveLength(8);
  await expect(answers.getByText(/Queued|Running|Being analysed/)).toHaveCount(0);
  await page.getByRole('button', { name: `Pause ${BEST}` }).click();
  await expect(page.getByRole('button', { name: 'Ask now' })).toHaveAccessibleDescription(/paused/);
  await page.getByRole('button', { name: `Resume ${BEST}` }).click();
  await expect(page.getByRole('button', { name: `Pause ${BEST}` })).toBeVisible();
});

test('an answer has the brand marked, rivals underlined and its sources numbered', async ({ page }) => {
  const prompt = await promptNamed(BEST);
  const [run, before] = (await runsOf({ promptId: prompt.id, provider: 'perplexity' })) as [Run, Run];
  const details = (await (await api.get(`/api/ai-mentions/runs/${run.id}`)).json()) as {
    citations: { url: string }[];
    spans: { kind: string }[];
  };

  await show(page, `/answers/${run.id}`);

  await expect(page.getByRole('heading', { level: 1, name: 'Answer of Perplexity' })).toBeVisible();
  const answer = page.getByRole('region', { name: 'Answer', exact: true });
  await expect(answer.locator('mark').filter({ hasText: 'LumaDocs' })).toHaveCount(
    details.spans.filter(({ kind }) => kind === 'own').length,
  );
  const links = page.getByRole('region', { name: 'Sources' }).getByRole('listitem').getByRole('link');
  expect(await links.evaluateAll((all) => all.map((one) => one.getAttribute('href')))).toEqual(
    details.citations.map(({ url }) => new URL(url).href),
  );
  await expect(links.first()).toHaveAttribute('rel', /noopener noreferrer nofollow/);
  await expect(answer.getByText('source 1', { exact: true }).first()).toBeAttached();
  await page.keyboard.press('[');
  await expect(page).toHaveURL(new RegExp(before.id));
});

test('chips tell what is unusual about an answer', async ({ page }) => {
  const [host, long, refused] = [await promptNamed(HOST), await promptNamed(LONG), await promptNamed(REFUSED)];
  const absent = (await runsOf({ promptId: host.id, provider: 'google_ai_overview' }))[0] as Run;
  const local = (await runsOf({ promptId: host.id, provider: 'gemini' }))[0] as Run;
  const [cutShort, failed] = [(await runsOf({ promptId: long.id }))[0], (await runsOf({ promptId: refused.id }))[0]];

  for (const [run, chip] of [
    [absent, 'No overview shown'],
    [local, 'local model'],
    [cutShort, 'Cut short'],
    [failed, 'Failed'],
  ] as const) {
    await show(page, `/answers/${run?.id}`);
    await expect(page.getByText(chip, { exact: true })).toBeVisible();
  }

  await expect(page.getByText('The assistant declined to answer.')).toBeVisible();
  await page.goto(`/d/${domain}/mentions/answers/01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10`);
  await expect(page.getByRole('heading', { name: 'Not found' })).toBeVisible();
});

test('sources and searches are those of the API, by domain and by page', async ({ page }) => {
  const filter = { branded: 'false', limit: 200 };
  const domains = await read<{ sources: { domain: string; answers: number }[]; total: number }>('sources', filter);
  const pages = await read<{ sources: { url: string }[]; total: number }>('sources', { ...filter, by: 'page' });
  const searches = await read<{ queries: { query: string }[] }>('queries', filter);
  await show(page, '/sources');
  const table = page.getByRole('table', { name: 'Sources' });
  await expect(table).toHaveAttribute('aria-rowcount', String(domains.total + 1));
  const first = table.getByRole('row').nth(1);
  await expect(first).toContainText(domains.sources[0]?.domain ?? '');
  await expect(first).toContainText(String(domains.sources[0]?.answers));
  await expect(page.getByRole('table', { name: 'Searches' }).getByRole('row').nth(1)).toContainText(
    searches.queries[0]?.query ?? '',
  );

  await page.getByRole('group', { name: 'By' }).getByRole('button', { name: 'Page' }).click();

  await expect(table).toHaveAttribute('aria-rowcount', String(pages.total + 1));
  await expect(table.getByRole('row').nth(1)).toContainText(pages.sources[0]?.url ?? '');
  await expect(page).toHaveURL(/by=page/);
});

test('a competitor that is ignored, tracked or added is so in the brand profile', async ({ page }) => {
  const standing = async (name: string) => {
    const brand = (await (await api.get(`/api/domains/${domain}/brand`)).json()) as {
      competitors: { name: string; status: string; domains: string[] }[];
    };
    return brand.competitors.find((one) => one.name === name);
  };
  await show(page, '/competitors');
  await page.getByRole('button', { name: 'Ignore Notchly' }).click();
  await expect(toast(page, 'Notchly is ignored')).toBeVisible();
  expect((await standing('Notchly'))?.status).toBe('ignored');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(async () => (await standing('Notchly'))?.status).toBe('tracked');

  await page.getByRole('button', { name: 'Add competitor' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add competitor' });
  await dialog.getByLabel('Name').fill('lumadocs');
  await dialog.getByLabel('Name').press('Enter');
  await expect(dialog.getByLabel('Name')).toHaveAccessibleDescription(/has this name/);
  await dialog.getByLabel('Name').fill('Quillbase');
  await dialog.getByLabel('Website').fill('https://Quillbase.com/pricing');
  await dialog.getByRole('button', { name: 'Add competitor' }).click();

  await expect(dialog).toHaveCount(0);
  expect(await standing('Quillbase')).toMatchObject({ status: 'tracked', domains: ['quillbase.com'] });
  await expect(page.getByRole('row', { name: /Quillbase/ })).toContainText('Tracked');
});

test('a report is read from its list, with the figures of the API', async ({ page }) => {
  const answer = await api.get(`/api/ai-mentions/reports/${reportId}`, { params: { format: 'json' } });
  const report = (await answer.json()) as { quickSummary: { headline: string }; coverage: { responses: number } };
  await show(page, '/reports');
  await page.getByRole('table', { name: 'Reports' }).getByRole('link').first().click();
  await expect(page.getByRole('heading', { level: 1, name: /^Report of / })).toBeVisible();
  await expect(page.getByText(report.quickSummary.headline)).toBeVisible();
  await expect(page.getByText(`${report.coverage.responses} answers to `)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Print' })).toBeVisible();
});

test('axe finds nothing on any screen, and none scrolls sideways at 320 px', async ({ page }) => {
  test.setTimeout(150_000);
  const [prompt, run] = [await promptNamed(BEST), (await runsOf({ provider: 'gemini' }))[0]];
  const screens = ['', '/prompts', '/answers', '/sources', '/competitors', '/reports'].concat(
    `/prompts/${prompt.id}`,
    `/answers/${run?.id}`,
    `/reports/${reportId}`,
  );

  const found: Record<string, string[]> = {};
  for (const where of screens) {
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1280, height: 800 });
    await show(page, where);
    await settle(page);
    const light = await violations(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 320, height: 800 });
    await settle(page);
    const here = [...light, ...(await contrast(page))];
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    if (width > 320) here.push(`scrolls sideways: ${width}`);
    if (here.length > 0) found[where] = here;
  }

  expect(found).toEqual({});
});
