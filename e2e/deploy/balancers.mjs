// HAProxy, nginx and Caddy with the files of deploy/proxies: only addresses and ports are replaced.
import fs from 'node:fs';
import path from 'node:path';
import { freePort } from '../lib/ports.mjs';
import { folderFor, start } from '../lib/programs.mjs';
import { root } from '../lib/service.mjs';

/** Replaces every piece of text. One that is not there means that the file and this test have drifted apart. */
function replaceAll(text, pairs) {
  return pairs.reduce((changed, [from, to]) => {
    if (!changed.includes(from)) throw new Error(`not in the file: ${from}`);
    return changed.replaceAll(from, to);
  }, text);
}

/**
 * Reads a file and replaces the nodes' addresses and ports. Nothing listens on 8443 here: connections that are passed through
 * lead to the edge's plain port.
 */
function readFor(file, ports, pairs) {
  const text = fs.readFileSync(path.join(root, 'deploy/proxies', file), 'utf8');
  const through = file === 'Caddyfile' ? [] : [['13:8443', `13:${ports.edge}`], ['12:8443', `12:${ports.edge}`], ['11:8443', `11:${ports.edge}`]];
  const nodes = ['11', '12', '13'].flatMap((end) => [[`${end}:8080`, `${end}:${ports.edge}`], [`${end}:3000`, `${end}:${ports.api}`]]);
  return replaceAll(text, [...nodes, ...through, ['10.90.0.', '127.90.0.'], ...pairs]);
}

const freePorts = async () => ({ edge: await freePort(), api: await freePort(), through: await freePort() });

export async function haproxy(ports) {
  const [folder, port] = [folderFor('haproxy'), await freePorts()];
  const file = path.join(folder, 'haproxy.cfg');
  fs.writeFileSync(file, readFor('haproxy.cfg', ports, [
    ['bind :80\n', `bind 127.0.0.1:${port.edge}\n`], ['bind :443\n', `bind 127.0.0.1:${port.through}\n`], ['bind :3000\n', `bind 127.0.0.1:${port.api}\n`],
    ['port 9100 ', `port ${ports.metrics} `],
  ]));
  await start('haproxy', '/usr/sbin/haproxy', ['-db', '-f', file], { port: port.edge, cwd: folder });
  return { name: 'HAProxy', port };
}

export async function nginx(ports) {
  const [folder, port] = [folderFor('nginx'), await freePorts()];
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const text = readFor('nginx.conf', ports, [
    ['listen 80;', `listen 127.0.0.1:${port.edge};`], ['listen 443;', `listen 127.0.0.1:${port.through};`],
    ['listen 3000;', `listen 127.0.0.1:${port.api};`],
    ['include /etc/nginx/modules-enabled/*.conf;', 'load_module /usr/lib/nginx/modules/ngx_stream_module.so;'],
    // A process that is not root's has fewer files.
    ['worker_rlimit_nofile 65536;', ''], ['worker_connections 16384;', 'worker_connections 512;'], ['worker_processes auto;', 'worker_processes 2;'],
    ['http {\n', `http {\n${kinds.map((kind) => `    ${kind}_temp_path ${folder}/${kind};\n`).join('')}`],
  ]);
  fs.writeFileSync(path.join(folder, 'nginx.conf'), `daemon off;\npid ${folder}/pid;\nerror_log ${folder}/error.log;\n${text}`);
  await start('nginx', '/usr/sbin/nginx', ['-e', `${folder}/error.log`, '-p', folder, '-c', `${folder}/nginx.conf`], { port: port.edge, cwd: folder });
  return { name: 'nginx', port };
}

export async function caddy(ports) {
  const [folder, port] = [folderFor('caddy'), await freePorts()];
  const file = path.join(folder, 'Caddyfile');
  fs.writeFileSync(file, readFor('Caddyfile', ports, [
    ['admin off\n', 'admin off\n\tauto_https off\n\tdefault_bind 127.0.0.1\n'], ['http:// {', `http://:${port.edge} {`],
    ['glasshouse.example {', `http://:${port.api} {`], ['health_port 9100', `health_port ${ports.metrics}`],
  ]));
  const env = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  await start('caddy', 'caddy', ['run', '--config', file, '--adapter', 'caddyfile'], { port: port.api, cwd: folder, env });
  // Nodes that read PROXY headers take nothing of a balancer that writes none: Caddy stands in front of the API here.
  return { name: 'Caddy', port: { api: port.api } };
}
