// The public address of a request: a configured origin, or the `Host` when it is one of the site's. Path and query byte for byte.

/** Longest address that the service takes, in bytes. */
const MAX_ADDRESS_BYTES = 8192;

/** The names of a site: each domain and its `www.` twin. */
export function hostsOf(domain) {
  const hosts = new Set();
  for (const one of [domain].flat()) {
    const host = hostOf(String(one ?? '').trim());
    if (host && !host.startsWith('__')) hosts.add(host).add(`www.${host}`);
  }
  return hosts;
}

/** Reads a domain as people write it: in its own script, in capitals, or as the address of the site. */
function hostOf(text) {
  try {
    return new URL(/^https?:\/\//i.test(text) ? text : `https://${text}`).hostname.replace(/\.$/, '').replace(/^www\./, '');
  } catch {
    return null;
  }
}

/** Returns `{ address }`, or `{ reason }` for a request that is not for this site. */
export function addressOf(facts, settings, hosts) {
  // A target that is no path is for a proxy, or malformed.
  if (!facts.target.startsWith('/')) return { reason: 'address' };
  const base = settings.origin ? settings.origin.replace(/\/+$/, '') : baseByHost(facts, settings, hosts);
  if (!base) return { reason: 'host' };
  const address = base + facts.target;
  return address.length > MAX_ADDRESS_BYTES ? { reason: 'address' } : { address };
}

function baseByHost(facts, settings, hosts) {
  const first = (name) => (settings.trustForwarded && facts.header(name) || '').split(',')[0].trim();
  const named = (first('x-forwarded-host') || facts.host || '').toLowerCase();
  const host = named.replace(/:\d+$/, '').replace(/\.$/, '');
  if (!hosts.has(host)) return null;
  // Sites are public under https; a proxy in front may say otherwise.
  return `${first('x-forwarded-proto') === 'http' ? 'http' : 'https'}://${host}`;
}

/** The visitor's address: the platform's word, or a trusted proxy's. */
export function clientOf(facts, settings) {
  const forwarded = settings.trustForwarded ? facts.header('x-forwarded-for') : null;
  // The last entry is the nearest proxy's; those before it may be the visitor's own words.
  return (forwarded || facts.client || '').split(',').at(-1).trim() || null;
}
