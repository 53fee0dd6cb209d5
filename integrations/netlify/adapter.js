// Netlify's edge functions: a function on every page of the site.
import { createIntegration, factsOfRequest, markResponse, toResponse } from '../javascript/index.js';

/** An edge function. The environment variable GLASSHOUSE_API_KEY, when there is one, is the key. */
export function glasshouse(settings) {
  let integration;
  return async (request, context) => {
    integration ??= createIntegration({ ...settings, apiKey: Netlify.env.get('GLASSHOUSE_API_KEY') ?? settings.apiKey });
    const outcome = await integration.respond(factsOfRequest(request, context.ip));
    return outcome.answer ? toResponse(outcome.answer) : markResponse(await context.next(), outcome);
  };
}
