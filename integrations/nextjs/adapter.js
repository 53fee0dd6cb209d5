// Next.js, wherever it runs: proxy.ts since 16, middleware.ts up to 15.
import { createIntegration, factsOfRequest, goOn, toResponse } from '../javascript/index.js';

/** A proxy. The environment variable GLASSHOUSE_API_KEY, when there is one, is the key. */
export function glasshouse(settings) {
  const integration = createIntegration(
    { ...settings, apiKey: process.env.GLASSHOUSE_API_KEY ?? settings.apiKey },
    // Next keeps what is fetched unless it is told otherwise.
    { fetchOptions: { cache: 'no-store' } },
  );
  return async (request) => {
    // On Vercel this header is the platform's; elsewhere only a trusted proxy says who the visitor is (trustForwarded).
    const client = process.env.VERCEL ? request.headers.get('x-real-ip') : null;
    const outcome = await integration.respond(factsOfRequest(request, client));
    return outcome.answer ? toResponse(outcome.answer) : goOn(outcome);
  };
}
