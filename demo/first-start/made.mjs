// What is made up on the demo's screens: crawler visits of 45 days, and answers of assistants to six prompts. See docs/decisions/0460.
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ASSISTANTS } from '../made/answers.mjs';
import { PROFILE } from '../made/brands.mjs';
import { PROMPTS } from '../made/prompts.mjs';
import { DAYS, makeLog, makeRanges } from '../made/visits.mjs';
import { paths } from '../pages.mjs';
import { waitFor } from './service.mjs';

/** Answers to each prompt by each assistant on the first day: the one that a new prompt gets, and as many again as may be asked for at once. */
const MORE_ANSWERS = 2;

/**
 * Imports the visits. The log is written once and kept until all of it is imported: the same file never counts twice, whoever cut its import off.
 */
export async function importVisits({ service, state, domain, folder, now, say }) {
  if (state.get('visits') !== undefined) return;
  say(`making up ${DAYS} days of crawler visits`);
  const log = join(folder, 'demo-visits.ndjson');
  if (state.get('visitsUntil') === undefined) state.set('visitsUntil', now);
  const end = state.get('visitsUntil');
  if (!existsSync(log)) {
    writeFileSync(`${log}.new`, `${makeLog({ end, pages: paths }).join('\n')}\n`);
    renameSync(`${log}.new`, log);
  }
  const scratch = join(folder, 'demo-import');
  mkdirSync(scratch, { recursive: true });
  writeFileSync(join(scratch, 'crawler-ranges.json'), makeRanges(end));
  const env = await importEnvironment(service, scratch);
  const said = await service.run(['analytics', 'import', '--domain', domain, '--format', 'ndjson', log], env);
  if (!/ 0 are not of this format/.test(said)) throw new Error(`the import of the made-up visits left lines out: ${said.trim()}`);
  state.set('visits', said.trim());
  rmSync(scratch, { recursive: true });
  rmSync(log);
  say(said.trim().split(';')[0]);
}

/**
 * The import tells impostors by the lists of addresses in its data folder. The demo's list must never be the service's, so the import gets a folder
 * of its own, and the database of the service by its address.
 */
async function importEnvironment(service, scratch) {
  const settings = await service.settings();
  const data = resolve(settings['storage.data_dir']);
  const env = { GLASSHOUSE_STORAGE__DATA_DIR: scratch };
  if (settings['storage.database_url'] === '') env.GLASSHOUSE_STORAGE__DATABASE_URL = `sqlite:${join(data, 'glasshouse.db')}`;
  if (settings['storage.object_store_url'] === '') env.GLASSHOUSE_STORAGE__OBJECT_STORE_URL = `file:${join(data, 'objects')}`;
  return env;
}

/**
 * Brand, rivals and a budget of nothing, where the owner has set none: answers of the stand-in are free, and no later key may pay for the demo's
 * prompts.
 */
export async function prepareBrand({ service, state, domain }) {
  if (state.get('brand') !== undefined) return;
  const path = `/api/domains/${encodeURIComponent(domain)}`;
  const { derived } = await service.ask('GET', `${path}/brand`);
  if (derived) await service.ask('PUT', `${path}/brand`, PROFILE);
  const { budgetUsdPerMonth } = await service.ask('GET', `${path}/monitoring`);
  if ((budgetUsdPerMonth ?? null) === null) await service.ask('PATCH', `${path}/monitoring`, { budgetUsdPerMonth: 0 });
  state.set('brand', true);
}

/** The prompts, which are asked at once. A text that is there already is skipped. */
export async function createPrompts({ service, state, domain, say }) {
  if (state.get('prompts') !== undefined) return;
  say('asking the stand-in assistants six questions');
  const prompts = PROMPTS.map(({ text, intent, tags }) => ({ promptText: text, intent, tags, providers: Object.keys(ASSISTANTS) }));
  const { refused } = await service.ask('POST', '/api/ai-mentions/prompts/import', { domain, prompts });
  if (refused.length > 0) throw new Error(`a prompt of the demo was refused: ${refused[0].error}`);
  state.set('prompts', true);
}

async function summary(service, domain, search = '') {
  const answer = await service.ask('GET', `/api/ai-mentions/runs?domain=${encodeURIComponent(domain)}&limit=1${search}`);
  return answer.summary;
}

/** Waits for the first answers, then asks each prompt again: one answer proves nothing. */
export async function askAgain({ service, state, domain, say }) {
  if (state.get('answers') !== undefined) return;
  await waitForAnswers(service, domain);
  const prompts = await service.ask('GET', `/api/ai-mentions/prompts?domain=${encodeURIComponent(domain)}`);
  for (const prompt of prompts.filter(({ promptText }) => PROMPTS.some(({ text }) => text === promptText))) {
    // Asked already, by a start that was cut off before the last of them.
    const { total } = await summary(service, domain, `&promptId=${prompt.id}`);
    if (total > Object.keys(ASSISTANTS).length || prompt.active === 0) continue;
    await service.ask('POST', `/api/ai-mentions/prompts/${prompt.id}/run`, { samples: MORE_ANSWERS });
  }
  const { total } = await waitForAnswers(service, domain);
  state.set('answers', total);
  say(`${total} answers`);
}

async function waitForAnswers(service, domain) {
  const look = async () => {
    const counts = await summary(service, domain);
    const { ok = 0, error = 0 } = counts.byStatus;
    return counts.total > 0 && ok + error === counts.total ? counts : undefined;
  };
  return waitFor(look, { seconds: 120, late: 'the answers of the stand-in are not all there yet; they will be in a while' });
}
