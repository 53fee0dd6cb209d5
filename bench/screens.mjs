// The dashboard in a browser: changes of route, interactions, layout shift and Lighthouse's performance in the made world, and frames a
// second over 50,000 rows: measureScreens(), scrollRows(). Used by run.mjs and dashboard.mjs; the measurements are e2e/dashboard/speed.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { scratch } from '../e2e/lib/programs.mjs';

const journeys = fileURLToPath(new URL('../e2e/dashboard', import.meta.url));
const SCREENS = { 'sign-in': 'SignIn', overview: 'Overview', rendering: 'Rendering', audit: 'Audit', mentions: 'Mentions', crawlers: 'Crawlers' };

/** Runs a project of e2e/dashboard/world.config.ts and returns its figures by name. */
async function figuresOf(project, env) {
  const file = scratch(`${project}.json`);
  const child = spawn('npx', ['--no-install', 'playwright', 'test', '--config', 'world.config.ts', '--project', project], { cwd: journeys, env: { ...process.env, ...env, FIGURES: file }, stdio: ['ignore', 'inherit', 'inherit'] });
  const status = await new Promise((resolve) => child.on('exit', resolve));
  if (status !== 0 || !existsSync(file)) throw new Error(`the measurements of ${project} ended with ${status}`);
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** Measures the screens in the made world, which is made when it is not there. */
export async function measureScreens({ binary, quick, add }) {
  const found = await figuresOf('speed', { GLASSHOUSE: binary, FAKEAI: join(dirname(binary), 'fakeai'), REPETITIONS: quick ? '1' : '6' });
  add('screensRoute', { latencyMs: found['route change, ms'] });
  add('screensPress', { latencyMs: found['interaction, ms'] });
  add('screensShift', { asked: Math.max(...Object.keys(SCREENS).map((name) => found[`layout shift:${name}`] ?? 0)) });
  for (const [name, of] of Object.entries(SCREENS)) add(`screens${of}`, { perSecond: found[`lighthouse:${name}`] });
}

/** Scrolls all snapshots of a domain, in a service that runs. */
export async function scrollRows({ base, domain, email, password, quick, add }) {
  const found = await figuresOf('rows', { DASHBOARD_ADDRESS: base, ROWS_DOMAIN: domain, ROWS_EMAIL: email, ROWS_PASSWORD: password, REPETITIONS: quick ? '1' : '6' });
  console.error(`  dashboard, ${found.rows} rows: ${found['frames a second'].toFixed(1)} frames a second, at most ${found['rows in the document']} rows in the document`);
  add('screensRows', { perSecond: found['frames a second'] });
}
