// Makes the world in a folder, or says what it holds: npm run world -- FOLDER.
import { spawnSync } from 'node:child_process';

const [folder] = process.argv.slice(2);
const env = { ...process.env, ...(folder !== undefined && { WORLD: folder }) };
const { status } = spawnSync('playwright', ['test', '--config', 'world.config.ts', '--project', 'world'], {
  env,
  stdio: 'inherit',
});
process.exit(status ?? 1);
