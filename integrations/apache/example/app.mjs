// An app to try the configuration with: `node app.mjs` serves the shell of a single-page app on 127.0.0.1:8081.
import http from 'node:http';

const SHELL = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>The shell</title></head>
<body><div id="root">The shell</div>
<script type="module">document.getElementById('root').textContent = 'You are at ' + location.pathname;</script></body>
</html>
`;

http.createServer((request, response) => {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
  response.end(request.method === 'HEAD' ? undefined : SHELL);
}).listen(Number(process.env.PORT ?? 8081), '127.0.0.1');
