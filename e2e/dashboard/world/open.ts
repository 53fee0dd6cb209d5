// Opens the made world of a folder, which is made when it is not there: its service, site and assistants run until the end.
// Global set-up of pictures and Lighthouse.
import fs from 'node:fs';
import path from 'node:path';
import { freePort } from '../../lib/ports.mjs';
import { startFakeAi } from '../../lib/service.mjs';
import { startDocsSite } from './docs-site.ts';
import { BRAND_ARGS, makeWorld, worldSettings, type Made } from './make.ts';
import { MAIN } from './plan.ts';
import { startService } from './service.ts';

const DAY_MS = 86_400_000;

/** Folder of the world: that of WORLD, or one in the folder of builds. */
export function worldFolder(): string {
  return path.resolve(process.env.WORLD ?? path.join(import.meta.dirname, '../../../target/dashboard-world'));
}

/** Returns the world that a folder has, or makes it: days are counted back from today, so one from the day before yesterday is too old. */
async function worldOf(folder: string): Promise<Made> {
  const file = path.join(folder, 'world.json');
  if (fs.existsSync(file)) {
    const made = JSON.parse(fs.readFileSync(file, 'utf8')) as Made;
    if (Date.now() - Date.parse(made.day) < 2 * DAY_MS) return made;
    console.log(`the world of ${made.day} is too old: another one is made`);
  } else if (fs.existsSync(folder) && fs.readdirSync(folder).length > 0 && !isOurs(folder)) {
    throw new Error(`${folder} has other files than a world: name another folder in WORLD`);
  }
  fs.rmSync(folder, { recursive: true, force: true });
  return makeWorld(folder);
}

/** A world that was not made to its end has its clock already. */
const isOurs = (folder: string) => fs.existsSync(path.join(folder, 'clock'));

export default async function open(): Promise<() => Promise<void>> {
  const folder = worldFolder();
  const made = await worldOf(folder);
  const stand = await startFakeAi({ args: BRAND_ARGS });
  const site = await startDocsSite(MAIN);
  site.setRelease(2);
  const edge = `127.0.0.1:${await freePort()}`;
  const extra = worldSettings({ site: site.host, edge, assistants: stand.address });
  const service = await startService({ assistants: stand.address, folder, extra });
  process.env.DASHBOARD_ADDRESS = service.address;
  process.env.DASHBOARD_SERVICE = JSON.stringify(service);
  process.env.DASHBOARD_WORLD = JSON.stringify(made);
  return async () => {
    await service.stop();
    await stand.stop();
    await site.close();
  };
}
