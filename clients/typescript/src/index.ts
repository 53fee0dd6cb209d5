// Everything that the package offers.
export * from './call.js';
export * from './client.js';
export * from './schema.js';
export * from './webhooks.js';
