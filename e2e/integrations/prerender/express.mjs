// An Express app with prerender-node, unchanged but for address and token.
import path from 'node:path';
import express from 'express';
import prerender from 'prerender-node';

const { PORT, FOLDER, SERVICE_URL, API_KEY } = process.env;
const app = express();
app.use(prerender.set('prerenderServiceUrl', SERVICE_URL).set('prerenderToken', API_KEY));
app.use(express.static(FOLDER));
app.use((request, response) => response.sendFile(path.join(FOLDER, 'index.html')));
app.listen(Number(PORT), '127.0.0.1');
