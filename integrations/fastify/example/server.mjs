// A client-rendered app behind Fastify. glasshouse.mjs is ../snippet.mjs, filled in; public/ has the built app.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import Fastify from 'fastify';
import crawlers from './glasshouse.mjs';

const TYPES = { '.js': 'text/javascript', '.json': 'application/json' };

const fastify = Fastify();
await fastify.register(crawlers);
fastify.get('/*', async (request, reply) => {
  const file = path.basename(request.params['*']);
  const type = TYPES[path.extname(file)];
  if (type) return reply.type(type).send(await readFile(`public/${file}`));
  return reply.type('text/html; charset=utf-8').send(await readFile('public/index.html'));
});
await fastify.listen({ port: Number(process.env.PORT ?? 8081), host: process.env.HOST ?? '127.0.0.1' });
