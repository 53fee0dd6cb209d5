// The core of the JavaScript integrations. Adapters import from here.
// See docs/decisions/0441.
export { createIntegration } from './src/integration.js';
export { factsOfRequest, goOn, markResponse, toResponse } from './src/web.js';
export { factsOfNode, markNodeResponse, writeAnswer } from './src/node.js';
