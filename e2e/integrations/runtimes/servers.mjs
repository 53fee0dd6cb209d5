// nginx, Apache and Caddy with the committed configuration, and the caches that stand in front (nginx's, Varnish).
import fs from 'node:fs';
import path from 'node:path';
import { folderFor, start } from '../../lib/programs.mjs';
import { blockOf, fillIn, integrations } from './files.mjs';

const MODULES = '/usr/lib/apache2/modules';

export const nginxMain = (folder, http) => `daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log;
events { worker_connections 512; }
http {
  access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi; uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
${http}
}
`;

export const startNginx = (name, folder, port) => start(name, '/usr/sbin/nginx', ['-e', `${folder}/error.log`, '-p', folder, '-c', `${folder}/nginx.conf`], { port, cwd: folder });

export async function nginx({ port, domain, edgeAddress, appAddress }) {
  const folder = folderFor('nginx');
  fillIn('nginx/snippet.conf', path.join(folder, 'glasshouse.conf'), { DOMAIN: domain, EDGE_ADDRESS: edgeAddress, APP_ADDRESS: appAddress }, (text) => text
    .replaceAll('/etc/nginx/glasshouse-crawlers.conf', path.join(integrations, 'nginx/crawlers.conf'))
    .replace('listen 80;', `listen 127.0.0.1:${port};`));
  fs.writeFileSync(path.join(folder, 'nginx.conf'), nginxMain(folder, `  include ${folder}/glasshouse.conf;`));
  return startNginx('nginx', folder, port);
}

const apacheMain = (folder, port, modules, site) => `ServerRoot ${folder}
DefaultRuntimeDir ${folder}
Mutex file:${folder}
PidFile ${folder}/pid
ErrorLog ${folder}/error.log
LogLevel warn
MaxKeepAliveRequests 0
ServerName localhost
Listen 127.0.0.1:${port}
${['mpm_event', 'authz_core', ...modules].map((name) => `LoadModule ${name}_module ${MODULES}/mod_${name}.so`).join('\n')}
User nobody
Group nogroup
${site}
`;

const startApache = (name, folder, port) => start(name, '/usr/sbin/apache2', ['-D', 'FOREGROUND', '-f', `${folder}/apache2.conf`], { port, cwd: folder });

export async function apache({ port, domain, edgeAddress, appAddress }) {
  const folder = folderFor('apache');
  fillIn('apache/snippet.conf', path.join(folder, 'glasshouse.conf'), { DOMAIN: domain, EDGE_ADDRESS: edgeAddress, APP_ADDRESS: appAddress }, (text) => text
    .replaceAll('/etc/apache2/glasshouse-crawlers.conf', path.join(integrations, 'apache/crawlers.conf'))
    .replace('<VirtualHost *:80>', `<VirtualHost 127.0.0.1:${port}>`));
  fs.writeFileSync(path.join(folder, 'apache2.conf'), apacheMain(folder, port, ['proxy', 'proxy_http', 'proxy_balancer', 'lbmethod_byrequests', 'slotmem_shm', 'rewrite', 'headers', 'setenvif'], `Include ${folder}/glasshouse.conf`));
  return startApache('apache', folder, port);
}

export async function caddy({ port, domain, edgeAddress, appAddress }) {
  const folder = folderFor('caddy');
  fillIn('caddy/snippet.caddy', path.join(folder, 'Caddyfile'), { DOMAIN: domain, EDGE_ADDRESS: edgeAddress, APP_ADDRESS: appAddress }, (text) => `{
	admin off
	http_port ${port}
	auto_https off
	default_bind 127.0.0.1
}
${text.replaceAll('/etc/caddy/glasshouse-crawlers.caddy', path.join(integrations, 'caddy/crawlers.caddy'))}`);
  return startCaddy('caddy', folder, port);
}

function startCaddy(name, folder, port) {
  const env = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  return start(name, 'caddy', ['run', '--config', path.join(folder, 'Caddyfile'), '--adapter', 'caddyfile'], { port, cwd: folder, env });
}

/** Serves a folder of files as the page of a server says. */
export async function files(name, { port, root }) {
  const folder = folderFor(`${name}-files`);
  const block = blockOf(`${name}/README.md`, '**Files.**').replaceAll('8081', port).replaceAll('/var/www/shop', root);
  const write = (file, text) => fs.writeFileSync(path.join(folder, file), text);
  if (name === 'nginx') {
    write('nginx.conf', nginxMain(folder, `  include /etc/nginx/mime.types;\n${block}`));
    return startNginx(`${name}-files`, folder, port);
  }
  if (name === 'apache') {
    write('apache2.conf', apacheMain(folder, port, ['dir', 'mime'], `TypesConfig /etc/mime.types\n${block}`).replace(`Listen 127.0.0.1:${port}\n`, ''));
    return startApache(`${name}-files`, folder, port);
  }
  write('Caddyfile', `{\n\tadmin off\n\tauto_https off\n}\n${block}\n`);
  return startCaddy(`${name}-files`, folder, port);
}

/** A cache of nginx in front of an integration. */
export async function nginxCache({ port, behind }) {
  const folder = folderFor('nginx-cache');
  fs.writeFileSync(path.join(folder, 'nginx.conf'), nginxMain(folder, `  proxy_cache_path ${folder}/cache keys_zone=pages:1m;
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://127.0.0.1:${behind}$request_uri; proxy_set_header Host $http_host;
      proxy_cache pages; add_header X-Cache $upstream_cache_status always;
    }
  }`));
  return startNginx('nginx-cache', folder, port);
}

/** Varnish in front of an integration. */
export async function varnish({ port, behind }) {
  const folder = folderFor('varnish');
  return start('varnish', '/usr/sbin/varnishd', ['-F', '-n', folder, '-a', `127.0.0.1:${port}`, '-b', `127.0.0.1:${behind}`, '-s', 'malloc,32m'], { port, cwd: folder });
}

/** The same way to the app without the integration, beside which bench/servers.mjs measures it. */
export async function plain(name, { port, appAddress }) {
  const folder = folderFor(`${name}-plain`);
  const write = (file, text) => fs.writeFileSync(path.join(folder, file), text);
  if (name === 'nginx') {
    write('nginx.conf', nginxMain(folder, `  upstream app { server ${appAddress}; keepalive 16; }
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass http://app; proxy_set_header Host $http_host; proxy_set_header Connection ""; proxy_http_version 1.1; }
  }`));
    return startNginx(`${name}-plain`, folder, port);
  }
  if (name === 'apache') {
    write('apache2.conf', apacheMain(folder, port, ['proxy', 'proxy_http'], `ProxyPreserveHost On\nProxyPass / http://${appAddress}/`));
    return startApache(`${name}-plain`, folder, port);
  }
  write('Caddyfile', `{\n\tadmin off\n\tauto_https off\n}\nhttp://:${port} {\n\tbind 127.0.0.1\n\treverse_proxy ${appAddress}\n}\n`);
  return startCaddy(`${name}-plain`, folder, port);
}
