// A client-rendered app behind Express. glasshouse.mjs is ../snippet.mjs, filled in; public/ has the built app.
import path from 'node:path';
import express from 'express';
import crawlers from './glasshouse.mjs';

const app = express();
app.use(crawlers);
app.use(express.static('public'));
app.use((request, response) => {
  if (request.method === 'GET' || request.method === 'HEAD') response.sendFile(path.resolve('public/index.html'));
  else response.sendStatus(405);
});
app.listen(Number(process.env.PORT ?? 8081), process.env.HOST ?? '127.0.0.1');
