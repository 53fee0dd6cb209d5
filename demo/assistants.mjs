// Stands in for ChatGPT, Perplexity, Gemini and Claude in the demo: a chat-completions server on loopback. No dependencies.
// Used by `make run`. node assistants.mjs PORT. Base addresses: http://127.0.0.1:PORT/chatgpt/v1, …/perplexity/v1, and so on.
// Answers the six prompts of the demo and refuses everything else, so that nothing is made up about anybody else's brand. See docs/decisions/0460.
import { createServer } from 'node:http';
import { randomUUID } from 'node:crypto';
import { answer, ASSISTANTS, promptOf } from './made/answers.mjs';

export const MODEL = 'demo-stand-in';
const MAX_BODY_BYTES = 1024 * 1024;
const REFUSED =
  'This is the stand-in of make run: it answers only the six prompts of the demo domain and makes up nothing about other brands. Set the key of a real assistant (docs/mentions.md) and start again.';

const failure = (status, code, message) => ({ status, body: { error: { message, type: 'invalid_request_error', code } } });

/** The text of the last message of the user: a text, or a list of parts. */
function questionOf(body) {
  const last = Array.isArray(body.messages) ? body.messages.findLast((message) => message?.role === 'user') : undefined;
  const content = last?.content;
  if (Array.isArray(content)) return content.map((part) => (typeof part?.text === 'string' ? part.text : '')).join('');
  return typeof content === 'string' ? content : undefined;
}

/** How often each was asked today: answers of one day differ. */
const asked = new Map();

function nextTurn(...words) {
  const key = words.join('|');
  const turn = asked.get(key) ?? 0;
  asked.set(key, turn + 1);
  return turn;
}

function complete(assistant, body) {
  const question = questionOf(body);
  if (question === undefined) return failure(400, 'missing_required_parameter', 'messages must have one of the user');
  const prompt = promptOf(question);
  if (prompt === undefined || body.response_format !== undefined) return failure(422, 'not_a_demo_prompt', REFUSED);
  const day = new Date().toISOString().slice(0, 10);
  const { text, citations, found } = answer({ assistant, prompt, day, turn: nextTurn(assistant, prompt.text, day) });
  const [input, output] = [question.length, text.length].map((letters) => Math.ceil(letters / 4));
  return {
    status: 200,
    body: {
      id: `chatcmpl-${randomUUID()}`, object: 'chat.completion', created: Math.floor(Date.now() / 1000), model: MODEL,
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: text } }],
      citations, search_results: found,
      usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
    },
  };
}

function reply(method, path, text) {
  const [, assistant, rest] = /^\/([a-z]+)\/v1\/(.+)$/.exec(path) ?? [];
  if (!Object.hasOwn(ASSISTANTS, assistant ?? '')) return failure(404, 'not_found', 'there is no such assistant here');
  if (method === 'GET' && rest === 'models') return { status: 200, body: { object: 'list', data: [{ id: MODEL, object: 'model', owned_by: 'glasshouse-demo' }] } };
  if (method !== 'POST' || rest !== 'chat/completions') return failure(404, 'not_found', 'POST …/chat/completions or GET …/models');
  let body;
  try {
    body = JSON.parse(text);
  } catch {
    return failure(400, 'invalid_json', 'the body is not JSON');
  }
  if (body === null || typeof body !== 'object') return failure(400, 'invalid_json', 'the body is not an object');
  return complete(assistant, body);
}

/** Makes the server; it does not listen yet. */
export function makeAssistants() {
  return createServer((request, response) => {
    const send = ({ status, body }) => {
      const text = JSON.stringify(body);
      response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
      response.end(text);
    };
    const parts = [];
    let bytes = 0;
    request.on('data', (part) => {
      bytes += part.length;
      if (bytes <= MAX_BODY_BYTES) parts.push(part);
    });
    request.on('end', () => {
      if (bytes > MAX_BODY_BYTES) return send(failure(413, 'too_large', 'the body is larger than 1 MiB'));
      return send(reply(request.method, request.url.split('?')[0], Buffer.concat(parts).toString('utf8')));
    });
    request.on('error', () => response.destroy());
  });
}

/** Starts to serve on a port of loopback, 0: a free one. Resolves with the server. */
export function serveAssistants(port) {
  const server = makeAssistants();
  return new Promise((resolve, reject) => {
    server.on('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}

if (process.argv[1] === import.meta.filename) {
  const port = Number(process.argv[2] ?? 4322);
  try {
    await serveAssistants(port);
    console.log(`assistants of the demo: http://127.0.0.1:${port}`);
  } catch (error) {
    const busy = error.code === 'EADDRINUSE';
    console.error(busy ? `assistants of the demo: port ${port} is in use; choose another with DEMO_AI_PORT=4323` : `assistants of the demo: ${error.message}`);
    process.exit(1);
  }
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(0));
}
