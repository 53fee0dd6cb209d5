// Express and Fastify: their example apps, with the React app in public/.
import fs from 'node:fs';
import path from 'node:path';
import { start } from '../../lib/programs.mjs';
import { fillIn, folderOf, integrations } from './files.mjs';

export function nodeRuntime(name) {
  return async ({ port, domain, serviceUrl, key, appFolder }) => {
    const folder = folderOf(name);
    fs.cpSync(path.join(integrations, name, 'example'), folder, { recursive: true });
    fs.cpSync(appFolder, path.join(folder, 'public'), { recursive: true });
    fillIn(`${name}/snippet.mjs`, path.join(folder, 'glasshouse.mjs'), { DOMAIN: domain, SERVICE_URL: serviceUrl, API_KEY: key });
    return start(name, process.execPath, ['--max-http-header-size=65536', 'server.mjs'], { port, cwd: folder, env: { PORT: String(port) } });
  };
}
