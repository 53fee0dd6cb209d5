// Fastify 4 and 5: a plugin for all routes.
import { createIntegration, factsOfNode, markNodeResponse, writeAnswer } from '../javascript/index.js';

/** A plugin. The environment variable GLASSHOUSE_API_KEY, when there is one, is the key. */
export function glasshouse(settings) {
  const integration = createIntegration({ ...settings, apiKey: process.env.GLASSHOUSE_API_KEY ?? settings.apiKey });
  const plugin = async (fastify) => {
    fastify.addHook('onRequest', async (request, reply) => {
      let isAnswered = false;
      try {
        const outcome = await integration.respond(factsOfNode(request.raw, request.ip));
        if (outcome.answer) isAnswered = writeAnswer(reply.raw, outcome.answer);
        else markNodeResponse(reply.raw, outcome);
      } catch {
        // The app answers.
      }
      return isAnswered ? reply.hijack() : undefined;
    });
  };
  // For the routes of the whole server, not only for those that are registered below the plugin.
  plugin[Symbol.for('skip-override')] = true;
  return plugin;
}
