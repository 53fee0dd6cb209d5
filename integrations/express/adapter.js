// Express 4 and 5: a middleware before every other one.
import { createIntegration, factsOfNode, markNodeResponse, writeAnswer } from '../javascript/index.js';

/** A middleware. The environment variable GLASSHOUSE_API_KEY, when there is one, is the key. */
export function glasshouse(settings) {
  const integration = createIntegration({ ...settings, apiKey: process.env.GLASSHOUSE_API_KEY ?? settings.apiKey });
  return async (request, response, next) => {
    let isAnswered = false;
    try {
      const outcome = await integration.respond(factsOfNode(request, request.ip, request.originalUrl));
      if (outcome.answer) isAnswered = writeAnswer(response, outcome.answer);
      else markNodeResponse(response, outcome);
    } catch {
      // The app answers.
    }
    return isAnswered ? undefined : next();
  };
}
