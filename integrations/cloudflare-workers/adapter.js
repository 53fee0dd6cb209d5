// Cloudflare Workers, on a route of the site's zone: a request that the Worker passes on goes to the site's own server.
import { createIntegration, factsOfRequest, markResponse, toResponse } from '../javascript/index.js';

/** A Worker. The secret GLASSHOUSE_API_KEY, when there is one, is the key. */
export function glasshouse(settings) {
  let integration;
  return {
    async fetch(request, env, context) {
      // Whatever goes wrong here, the visitor gets the site.
      context.passThroughOnException();
      integration ??= createIntegration(
        { ...settings, apiKey: env.GLASSHOUSE_API_KEY ?? settings.apiKey },
        { fetchOptions: { cf: { cacheTtl: -1 } } },
      );
      const outcome = await integration.respond(factsOfRequest(request, request.headers.get('cf-connecting-ip')));
      return outcome.answer ? toResponse(outcome.answer) : markResponse(await fetch(request), outcome);
    },
  };
}
