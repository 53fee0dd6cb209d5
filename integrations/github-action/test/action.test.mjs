// Tests of the action: its script in a process of its own, with the runner's variables faked, the real program, and sites on loopback.
//   GLASSHOUSE   the binary (default: the one in target that was built last)
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { freePort } from '../../../e2e/lib/ports.mjs';
import { processOf } from '../../../e2e/lib/process-tree.mjs';
import { findBinary } from '../../../e2e/lib/service.mjs';
import { answerTo } from '../folder.mjs';
import { allowNamespaces } from '../program.mjs';
import { annotations, code, findingsOf, summary } from '../report.mjs';

const action = path.resolve(import.meta.dirname, '..');
const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'action-')));
after(() => fs.rmSync(scratch, { recursive: true, force: true }));

const PAGE = (title, body = '') => `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title></head><body><h1>${title}</h1>${body}</body></html>`;
const NO_TITLE = '<!doctype html><html lang="en"><head><meta charset="utf-8"></head><body><h1>Words</h1></body></html>';
/** Text of a page that is a command for the runner, Markdown and HTML at once. */
const HOSTILE = '`x`%0A::set-output name=report::evil ##[error]<b>|';

let made = 0;
/** Makes a workspace with files and a folder with the programs of PATH. */
function workspace(files = {}, programs = { glasshouse: `exec "${findBinary()}" "$@"` }) {
  const folder = path.join(scratch, String(made += 1));
  const write = (name, text, mode) => {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), text, { mode });
  };
  for (const [name, text] of Object.entries(files)) write(`workspace/${name}`, text, 0o644);
  for (const [name, text] of Object.entries(programs)) write(`bin/${name}`, `#!/bin/sh\n${text}\n`, 0o755);
  for (const name of ['workspace', 'bin', 'temp']) fs.mkdirSync(path.join(folder, name), { recursive: true });
  return folder;
}

/** Runs the step as the runner does. Inputs that are not given have the defaults of action.yml. */
async function step(folder, inputs, env = {}) {
  const given = { ...defaults(), version: 'installed', javascript: 'false', ...inputs };
  const files = { GITHUB_OUTPUT: path.join(folder, 'output'), GITHUB_STEP_SUMMARY: path.join(folder, 'summary') };
  for (const file of Object.values(files)) fs.writeFileSync(file, '');
  // A machine that forbids namespaces has this variable from scripts/lib.sh.
  const { GLASSHOUSE_NETWORK__STRICT_EGRESS: strict } = process.env;
  const child = spawn(process.execPath, [path.join(action, 'audit.mjs')], {
    cwd: path.join(folder, 'workspace'),
    env: {
      PATH: `${path.join(folder, 'bin')}:/usr/bin:/bin`, HOME: folder, ...strict && { GLASSHOUSE_NETWORK__STRICT_EGRESS: strict },
      GITHUB_WORKSPACE: path.join(folder, 'workspace'), RUNNER_TEMP: path.join(folder, 'temp'), ...files,
      ...Object.fromEntries(Object.entries(given).map(([name, value]) => [`INPUT_${name.toUpperCase().replaceAll('-', '_')}`, value])), ...env,
    },
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => { log += part; });
  const status = await new Promise((resolve) => { child.on('close', resolve); });
  const outputs = Object.fromEntries(fs.readFileSync(files.GITHUB_OUTPUT, 'utf8').split('\n').filter(Boolean).map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
  return { status, log, outputs, summary: fs.readFileSync(files.GITHUB_STEP_SUMMARY, 'utf8') };
}

/** Reads inputs and their defaults from action.yml: `name:`, then `default:`, as the file is written. */
function defaults() {
  const text = fs.readFileSync(path.join(action, 'action.yml'), 'utf8').split('\noutputs:')[0];
  return Object.fromEntries([...text.matchAll(/^ {2}([a-z-]+):\n {4}description: .*\n {4}default: (.*)$/gm)].map(([, name, value]) => [name, value.replace(/^'(.*)'$/, '$1')]));
}

/** Lists the commands that the runner would obey in a log. */
function commandsIn(log) {
  let token = null;
  return log.split('\n').filter((line) => {
    if (token !== null) {
      if (line.trim() === `::${token}::`) token = null;
      return false;
    }
    token = /^::stop-commands::(.+)$/.exec(line)?.[1] ?? null;
    return token === null && (/^\s*::/.test(line) || line.includes('##['));
  });
}

async function listen(answer) {
  const server = http.createServer(answer);
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  after(() => { server.close(); server.closeAllConnections(); });
  return server.address().port;
}

test('a built folder is served and audited, and the step fails at the severity that was chosen', async () => {
  const folder = workspace({ 'dist/index.html': PAGE('Shop', '<a href="/about">About us</a>'), 'dist/about.html': NO_TITLE });

  const { status, outputs, summary: text, log } = await step(folder, { folder: 'dist' });

  assert.equal(status, 3, log);
  assert.ok(Number(outputs['health-score']) > 0 && Number(outputs.errors) > 0 && Number(outputs.warnings) > 0, JSON.stringify(outputs));
  assert.match(fs.readFileSync(outputs.report, 'utf8'), /^<!doctype html>/i);
  assert.match(text, /error ` TITLE_MISSING `, 1 page: ` \/about `/);
  assert.ok(commandsIn(log).includes('::error title=TITLE_MISSING::1 page: /about'), log);
});

test('nothing at or above the severity is success', async () => {
  const folder = workspace({ 'dist/index.html': NO_TITLE });

  assert.equal((await step(folder, { folder: 'dist', 'fail-on': 'never' })).status, 0);
});

test('checks about the server of a site are left out of the audit of a folder', async () => {
  const folder = workspace({ 'dist/index.html': PAGE('Shop') });

  const { outputs } = await step(folder, { folder: 'dist', 'fail-on': 'never' });
  const enabled = await step(folder, { folder: 'dist', 'fail-on': 'never', enable: 'X_CONTENT_TYPE_OPTIONS_MISSING' });

  assert.doesNotMatch(fs.readFileSync(outputs.findings, 'utf8'), /X_CONTENT_TYPE_OPTIONS_MISSING/);
  assert.match(fs.readFileSync(enabled.outputs.findings, 'utf8'), /X_CONTENT_TYPE_OPTIONS_MISSING/);
});

test('a folder with an address is audited under its public name', async () => {
  const folder = workspace({ 'dist/index.html': PAGE('Shop', '<a href="https://shop.example/deep">x</a>').replace('</head>', '<link rel="canonical" href="https://shop.example/"></head>') });

  const { outputs, log } = await step(folder, { folder: 'dist', url: 'https://shop.example', 'fail-on': 'never' });

  const report = JSON.parse(fs.readFileSync(outputs.findings, 'utf8'));
  assert.equal(report.site, 'http://shop.example/', log);
  assert.doesNotMatch(JSON.stringify(report.pages[0].issues), /CANONICAL_(CROSS_DOMAIN|PROTOCOL_MISMATCH)/);
});

test('pages that only scripts draw are rendered, and addresses without a file get the fallback', async () => {
  const app = "<!doctype html><html lang=en><head><meta charset=utf-8><title>Shop</title></head><body><div id=root></div><script src=/app.js></script></body></html>";
  const folder = workspace({ 'dist/index.html': app, 'dist/app.js': "document.getElementById('root').innerHTML = `<h1>Page ${location.pathname}</h1><a href=/deep>Deep page</a>`;" });

  const { outputs, log } = await step(folder, { folder: 'dist', url: 'https://shop.example', fallback: 'index.html', javascript: 'true', 'fail-on': 'never' });

  const { pages } = JSON.parse(fs.readFileSync(outputs.findings ?? '/dev/null', 'utf8'));
  assert.deepEqual(pages.map(({ path: where, statusCode, isRendered, h1 }) => [where, statusCode, isRendered, h1]), [['/', 200, true, 'Page /'], ['/deep', 200, true, 'Page /deep']], log);
});

test('with a baseline only new findings fail', async () => {
  const folder = workspace({ 'dist/index.html': PAGE('Shop', '<a href="/about">About us</a>'), 'dist/about.html': NO_TITLE });
  const first = await step(folder, { folder: 'dist' });
  fs.copyFileSync(first.outputs.findings, path.join(folder, 'workspace/baseline.json'));

  const same = await step(folder, { folder: 'dist', baseline: 'baseline.json' });
  fs.writeFileSync(path.join(folder, 'workspace/dist/index.html'), NO_TITLE);
  const worse = await step(folder, { folder: 'dist', baseline: 'baseline.json' });

  assert.equal(same.status, 0, same.log);
  assert.match(same.summary, /0 new, 0 fixed/);
  assert.deepEqual(commandsIn(same.log), []);
  assert.equal(worse.status, 3, worse.log);
  assert.ok(commandsIn(worse.log).includes('::error title=TITLE_MISSING::new: 1 page: /'), worse.log);
});

test('a site that does not answer fails the step with 1 and a reason', async () => {
  const folder = workspace();

  const { status, log, outputs } = await step(folder, { url: 'http://127.0.0.1:9/' }, { GLASSHOUSE_NETWORK__ALLOW_PRIVATE: '["127.0.0.0/8"]' });

  assert.equal(status, 1);
  assert.match(log, /has no page that could be audited/);
  assert.match(commandsIn(log).join(), /^::error title=Glasshouse audit::glasshouse audit ended with 1/);
  assert.deepEqual(outputs, {});
});

test('a program that hangs is killed with its children within the limit of time', async () => {
  const folder = workspace({}, { glasshouse: `sh -c 'trap "" TERM; echo $$ > "${path.join(scratch, 'child')}"; sleep 60' & trap '' TERM; wait` });
  const begun = Date.now();

  const { status, log } = await step(folder, { url: 'https://shop.example', 'timeout-minutes': '0.01' });

  assert.equal(status, 1);
  assert.match(commandsIn(log).join(), /glasshouse did not end within timeout-minutes/);
  assert.ok(Date.now() - begun < 15_000);
  // A child whose parent ended is a zombie until init asks for it.
  assert.ok([undefined, 'Z'].includes(processOf(Number(fs.readFileSync(path.join(scratch, 'child'), 'utf8')))?.state));
});

test('a program that is not there fails the step with 1', async () => {
  const { status, log } = await step(workspace({}, {}), { url: 'https://shop.example' });

  assert.equal(status, 1);
  assert.match(log, /PATH has no glasshouse/);
});

test('a release is downloaded and run when its sum is right', async () => {
  const release = workspace({}, {});
  fs.mkdirSync(path.join(release, 'glasshouse-9.9.9/usr/bin'), { recursive: true });
  fs.writeFileSync(path.join(release, 'glasshouse-9.9.9/usr/bin/glasshouse'), '#!/bin/sh\necho "arguments: $*"; exit 7\n', { mode: 0o755 });
  const name = `glasshouse-9.9.9-linux-${process.arch === 'arm64' ? 'arm64' : 'amd64'}.tar.zst`;
  execFileSync('tar', ['--create', '--zstd', '--file', name, 'glasshouse-9.9.9'], { cwd: release });
  const archive = fs.readFileSync(path.join(release, name));
  let sum = createHash('sha256').update(archive).digest('hex');
  const asked = [];
  const port = await listen((request, response) => {
    asked.push(request.url);
    response.end(request.url.endsWith('SHA256SUMS') ? `${'0'.repeat(64)}  other\n${sum}  ${name}\n` : archive);
  });
  const env = { GITHUB_SERVER_URL: `http://127.0.0.1:${port}`, ACTION_REPOSITORY: 'owner/name' };

  const right = await step(release, { url: 'https://shop.example', version: '9.9.9' }, env);
  sum = '0'.repeat(64);
  const wrong = await step(release, { url: 'https://shop.example', version: '9.9.9' }, env);

  assert.match(right.log, /arguments: audit --format=json .* -- https:\/\/shop\.example\/\n/);
  assert.match(right.log, /glasshouse audit ended with 7/);
  assert.equal(asked[1], `/owner/name/releases/download/v9.9.9/${name}`);
  assert.equal(wrong.status, 1);
  assert.match(wrong.log, /SHA256SUMS says 0{64}/);
  assert.doesNotMatch(wrong.log, /arguments:/);
});

test('a release server that hangs or refuses fails the step with 1 within the limit of time', async () => {
  const hangs = await listen(() => {});
  const refuses = await listen((_, response) => response.writeHead(404).end());
  const begun = Date.now();

  for (const [port, reason] of [[hangs, /no answer within timeout-minutes/], [refuses, /answered 404/], [await freePort(), /ECONNREFUSED/]]) {
    const { status, log } = await step(workspace({}, {}), { url: 'https://shop.example', version: '9.9.9', 'timeout-minutes': '0.02' }, { GITHUB_SERVER_URL: `http://127.0.0.1:${port}`, ACTION_REPOSITORY: 'owner/name' });
    assert.equal(status, 1);
    assert.match(log, reason);
  }
  assert.ok(Date.now() - begun < 20_000);
});

test('an input that cannot be used is refused with 2 and one line, and nothing is run', async () => {
  const folder = workspace({ 'dist/index.html': PAGE('Shop'), 'not-json': '{' }, { glasshouse: 'echo it ran' });
  fs.symlinkSync('/etc', path.join(folder, 'workspace/link'));
  const url = 'https://shop.example';
  const refused = [
    [{}, 'url or folder'], [{ url: '-x' }, 'url'], [{ url: '--out=/etc/passwd' }, 'url'], [{ url: 'file:///etc/passwd' }, 'url'], [{ url: 'https://a:b@shop.example' }, 'url'],
    [{ url: `${url}\n::set-output name=report::evil` }, 'url'], [{ url: `${url}/%0A::error::x`, 'fail-on': 'all' }, 'fail-on'], [{ url, 'max-pages': '1; rm -rf /' }, 'max-pages'],
    [{ url, 'max-pages': '-1' }, 'max-pages'], [{ url, enable: 'NOINDEX,--out' }, 'enable'], [{ url, disable: '`id`' }, 'disable'], [{ url, include: 'a\u0001' }, 'include'],
    [{ url, javascript: 'yes' }, 'javascript'], [{ url, version: '../../evil' }, 'version'], [{ url, 'timeout-minutes': '0' }, 'timeout-minutes'], [{ url, 'timeout-minutes': 'NaN' }, 'timeout-minutes'],
    [{ folder: '..' }, 'folder'], [{ folder: '/etc' }, 'folder'], [{ folder: 'link' }, 'folder'], [{ folder: 'dist/index.html' }, 'folder'], [{ folder: 'none' }, 'folder'],
    [{ folder: 'dist', fallback: '../not-json' }, 'fallback'], [{ url, baseline: '../summary' }, 'baseline'], [{ url, baseline: 'link/passwd' }, 'baseline'], [{ url, baseline: 'none.json' }, 'baseline'],
    [{ url, baseline: 'not-json' }, 'baseline'],
  ];

  for (const [inputs, name] of refused) {
    const { status, log } = await step(folder, inputs);
    assert.equal(status, 2, `${JSON.stringify(inputs)}: ${log}`);
    assert.match(log, new RegExp(`^::error title=Glasshouse audit::${name} .*\n$`), JSON.stringify(inputs));
  }
});

test('a path that begins with a dash is one path, and a pattern is no option', async () => {
  const folder = workspace({ '-dist/index.html': PAGE('Shop') });

  const { status, log } = await step(folder, { folder: '-dist', include: '--out=/tmp/x\n/*', 'fail-on': 'never' });

  assert.equal(status, 0, log);
});

test('commands in what the program prints are not obeyed', async () => {
  const folder = workspace({}, { glasshouse: "printf '::set-output name=report::evil\\n::error::evil\\n  ##[error]evil\\n::stop-commands::x\\n' >&2; exit 1" });

  const { log } = await step(folder, { url: 'https://shop.example' });

  assert.match(log, /evil/);
  assert.doesNotMatch(commandsIn(log).join(), /evil/);
});

test('texts of pages stay texts in annotations and in the summary', () => {
  const finding = { issueId: `ID${HOSTILE}\n`, severity: 'error', path: `/${HOSTILE}\r\n::error::x` };
  const report = { site: `https://shop.example/${HOSTILE}`, status: 'partial', closeReason: HOSTILE, healthScore: '1|<b>', pagesCrawled: 1, siteIssues: [], sitemapIssues: [], pages: [] };

  const lines = annotations([finding], false);
  const text = summary({ report, findings: [finding], news: null, fixed: 0 });

  assert.equal(lines.length, 1);
  assert.equal(lines[0].split('\n').length, 1);
  assert.doesNotMatch(lines[0], /[\r\n]/);
  assert.match(lines[0], /^::error title=ID`x`%250A%3A%3Aset-output/);
  assert.match(text, /\| NaN \| 1 \|/);
  // Without code spans nothing of the hostile text is left.
  assert.doesNotMatch(text.replace(/(`+) .*? \1/g, ''), /set-output|<b>/);
  assert.equal(code('a``b\nc'), '``` a``b c ```');
});

test('at most ten annotations are made, errors first', () => {
  const findings = Array.from({ length: 30 }, (_, index) => ({ issueId: `CHECK_${index}`, severity: index === 29 ? 'error' : 'notice', path: '/' }));

  const lines = annotations(findings, false);

  assert.equal(lines.length, 10);
  assert.match(lines[0], /^::error title=CHECK_29::/);
});

test('findings of robots.txt, sitemaps and the site are findings', () => {
  const issue = (issueId) => ({ issueId, severity: 'warning' });

  const findings = findingsOf({ siteIssues: [issue('A')], sitemapIssues: [issue('B'), issue('B')], robotsAnalysis: { problems: [issue('C')] }, pages: [{ path: '/', issues: [issue('D')] }] });

  assert.deepEqual(findings.map(({ issueId, path: where }) => issueId + where), ['A', 'B', 'C', 'D/']);
});

test('the server of a folder gives its files and nothing outside of the folder', () => {
  const folder = path.join(workspace({ 'dist/index.html': '', 'dist/a/index.html': '', 'dist/b.html': '', 'dist/app.js': '', 'secret.txt': '' }), 'workspace/dist');
  fs.symlinkSync('../secret.txt', path.join(folder, 'link.txt'));
  const fileOf = (target, fallback = null) => { const { status, file } = answerTo(folder, fallback, target); return `${status} ${file === null ? '' : path.relative(folder, file)}`.trim(); };

  for (const [target, expected] of [
    ['/', '200 index.html'], ['/a/', '200 a/index.html'], ['/a', '200 a/index.html'], ['/b', '200 b.html'], ['/app.js?x=/../y', '200 app.js'], ['/none', '404'],
    ['/../secret.txt', '404'], ['/%2e%2e/secret.txt', '404'], ['/..%2fsecret.txt', '404'], ['/link.txt', '404'], ['/%00', '404'], ['/%zz', '400'],
  ]) assert.equal(fileOf(target), expected, target);
  assert.equal(fileOf('/none', path.join(folder, 'index.html')), '200 index.html');
});

test('namespaces are allowed to the program where AppArmor forbids them', async () => {
  const folder = workspace({}, { glasshouse: '', sudo: `shift; echo "$@" > "${path.join(scratch, 'sudo')}"` });
  const program = path.join(folder, 'bin/glasshouse');
  const restricts = path.join(folder, 'restricts');
  const run = { env: { PATH: `${path.join(folder, 'bin')}:/usr/bin:/bin` }, folder, deadline: Date.now() + 10_000, restricts };

  fs.writeFileSync(restricts, '0\n');
  await allowNamespaces(program, run);
  assert.equal(fs.existsSync(path.join(scratch, 'sudo')), false);
  fs.writeFileSync(restricts, '1\n');
  await allowNamespaces(program, run);

  assert.equal(fs.readFileSync(path.join(scratch, 'sudo'), 'utf8'), `apparmor_parser --replace ${path.join(folder, 'glasshouse.apparmor')}\n`);
  assert.match(fs.readFileSync(path.join(folder, 'glasshouse.apparmor'), 'utf8'), new RegExp(`profile glasshouse-action "${program}" flags=\\(unconfined\\) \\{\n  userns,\n\\}`));
});

test('action.yml passes each input as a variable and pins what it uses by hash', () => {
  const text = fs.readFileSync(path.join(action, 'action.yml'), 'utf8');
  const version = /^\[workspace\.package\][^[]*?^version = "([^"]+)"/m.exec(fs.readFileSync(path.join(action, '../../Cargo.toml'), 'utf8'))?.[1];

  const passed = [...text.matchAll(/^ {8}INPUT_([A-Z_]+): \$\{\{ inputs\.([a-z-]+) \}\}$/gm)].map(([, variable, input]) => { assert.equal(variable, input.toUpperCase().replaceAll('-', '_')); return input; });

  assert.deepEqual([...passed, 'artifact'].sort(), Object.keys(defaults()).sort());
  assert.equal(defaults().version, version);
  for (const [, command] of text.matchAll(/^ +run: (.*)$/gm)) assert.doesNotMatch(command, /\$\{\{/);
  for (const [, used] of text.matchAll(/uses: (\S+)/g)) assert.match(used, /@[0-9a-f]{40}$/);
});
