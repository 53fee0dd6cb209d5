// The peer: npm prerender with the plugins and the order of its own server.js, answering GET /render?url=.
// Environment: PORT, DEBUG_PORT, BROWSER, PROFILE (folder), HOSTS (Chromium's rules of names), BLOCK=1 (its blockResources plugin), and
// prerender's own WAIT_AFTER_LAST_REQUEST and PAGE_DONE_CHECK_INTERVAL. CommonJS, because the package is.
const { writeFileSync } = require('node:fs');
const { join } = require('node:path');
const prerender = require('prerender');

const { PORT, DEBUG_PORT, BROWSER, PROFILE, HOSTS, BLOCK } = process.env;

// prerender pipes the browser's stderr and never reads it; the headless shell prints page consoles there and stops for good
// once the pipe is full. In its favour: this launcher sends that output away.
const launcher = join(PROFILE, 'browser.sh');
writeFileSync(launcher, `#!/bin/sh\nexec '${BROWSER}' "$@" > /dev/null 2>&1\n`, { mode: 0o755 });

const server = prerender({
  port: Number(PORT), host: '127.0.0.1', browserDebuggingPort: Number(DEBUG_PORT), chromeLocation: launcher, logRequests: false,
  chromeFlags: [
    '--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--hide-scrollbars', '--disable-sync',
    '--disable-background-networking', '--disable-component-update', `--remote-debugging-port=${DEBUG_PORT}`, `--user-data-dir=${join(PROFILE, 'profile')}`,
    ...(HOSTS ? [`--host-resolver-rules=${HOSTS}`] : []),
  ],
});
server.use(prerender.sendPrerenderHeader());
server.use(prerender.browserForceRestart());
if (BLOCK === '1') server.use(prerender.blockResources());
server.use(prerender.addMetaTags());
server.use(prerender.removeScriptTags());
server.use(prerender.httpHeaders());
server.start();
