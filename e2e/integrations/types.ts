// Uses the core as a typed program does: the compiler must take this, with every option strict.
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  createIntegration, factsOfNode, factsOfRequest, goOn, markNodeResponse, markResponse, toResponse, writeAnswer,
  type Outcome, type Settings,
} from '../../integrations/javascript/index.js';

const settings: Settings = { serviceUrl: 'https://glasshouse.example', apiKey: 'gh_live_', domain: ['shop.example'], trustForwarded: true };
const integration = createIntegration(settings, { fetchOptions: { cache: 'no-store' }, log: (line: string) => console.error(line) });

export async function web(request: Request, next: () => Promise<Response>): Promise<Response> {
  const outcome: Outcome = await integration.respond(factsOfRequest(request, null));
  if (outcome.answer) return toResponse(outcome.answer);
  return outcome.isCrawler ? markResponse(await next(), outcome) : goOn(outcome);
}

export async function node(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
  const outcome = await integration.respond(factsOfNode(request, request.socket.remoteAddress));
  if (outcome.answer) writeAnswer(response, outcome.answer);
  else markNodeResponse(response, outcome);
  return outcome.answer !== null;
}

// @ts-expect-error a key is required
createIntegration({ serviceUrl: 'https://glasshouse.example', domain: 'shop.example' });
