// Names of the platforms that have an integration.
export const platforms = {
  'cloudflare-workers': () => 'Cloudflare Workers',
  vercel: () => 'Vercel',
  netlify: () => 'Netlify',
  nextjs: () => 'Next.js',
  express: () => 'Express',
  fastify: () => 'Fastify',
  nginx: () => 'nginx',
  apache: () => 'Apache',
  caddy: () => 'Caddy',
};
