// Vercel's Routing Middleware, for every framework that Vercel hosts. It runs before Vercel's cache.
import { createIntegration, factsOfRequest, goOn, toResponse } from '../javascript/index.js';

/** A middleware. The environment variable GLASSHOUSE_API_KEY, when there is one, is the key. */
export function glasshouse(settings) {
  const integration = createIntegration({ ...settings, apiKey: process.env.GLASSHOUSE_API_KEY ?? settings.apiKey });
  return async (request) => {
    // Vercel overwrites this header, so it cannot be a visitor's invention.
    const outcome = await integration.respond(factsOfRequest(request, request.headers.get('x-real-ip')));
    return outcome.answer ? toResponse(outcome.answer) : goOn(outcome);
  };
}
