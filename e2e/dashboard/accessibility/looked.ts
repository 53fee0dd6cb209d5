// Screens that axe looks at, in every theme and on every width: those of the files in `screens`, one for each feature.
import fs from 'node:fs';
import path from 'node:path';
import type { Page } from '@playwright/test';

export interface Looked {
  name: string;
  path: string;
  /** Heading of the screen: it is there when the screen is. */
  heading: string;
  /** What is opened or pressed before it is looked at. */
  prepare?: (page: Page) => Promise<void>;
  isSignedOut?: boolean;
}

/** Reads the screens of every feature. */
export async function allScreens(): Promise<Looked[]> {
  const folder = path.join(import.meta.dirname, 'screens');
  const files = fs.readdirSync(folder).filter((name) => name.endsWith('.ts'));
  const modules = await Promise.all(
    files.map((name) => import(path.join(folder, name)) as Promise<{ SCREENS: Looked[] }>),
  );
  return modules.flatMap(({ SCREENS }) => SCREENS);
}
