// A clock that can be set, for a service and its stand-ins: Debian's libfaketime, which reads its offset from a file. Only the time
// of day moves: what waits and measures goes on as always. Browsers that the service starts have an environment of their own, and
// the machine's time.
// See docs/decisions/0007.
import fs from 'node:fs';
import path from 'node:path';

const DAY_MS = 86_400_000;

export interface SetClock {
  /** Environment of processes that live by this clock. */
  env: NodeJS.ProcessEnv;
  /** Sets it to a time of day (UTC) so many days before today. */
  setTo(daysAgo: number, hours: number, minutes?: number): void;
  /** The time that it shows. */
  now(): Date;
}

function findLibrary(): string {
  const folder = '/usr/lib';
  const found = fs
    .readdirSync(folder)
    .map((name) => path.join(folder, name, 'faketime/libfaketimeMT.so.1'))
    .find((file) => fs.existsSync(file));
  if (found === undefined) throw new Error('libfaketime is missing: apt-get install libfaketime');
  return found;
}

/** Makes a clock whose offset is in a file of a folder. It shows the machine's time until it is set. */
export function makeClock(folder: string): SetClock {
  const file = path.join(folder, 'clock');
  let offsetS = 0;
  const write = (): void => {
    // Written whole and renamed: a process must never read half of it.
    fs.writeFileSync(`${file}.new`, `${offsetS < 0 ? '' : '+'}${offsetS}\n`);
    fs.renameSync(`${file}.new`, file);
  };
  write();
  return {
    env: {
      LD_PRELOAD: findLibrary(),
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    },
    setTo(daysAgo, hours, minutes = 0) {
      const midnight = Math.floor(Date.now() / DAY_MS) * DAY_MS;
      const target = midnight - daysAgo * DAY_MS + (hours * 60 + minutes) * 60_000;
      offsetS = Math.round((target - Date.now()) / 1000);
      write();
    },
    now: () => new Date(Date.now() + offsetS * 1000),
  };
}
