// Marks of the app's answer: `Vary` on HTML, and the reason on a crawler's answer. Pure.

export function isHtmlType(type) {
  return /^(?:text\/html|application\/xhtml\+xml)\b/i.test(type ?? '');
}

/** Returns `Vary` with the user agent in it. */
export function varyByAgent(vary) {
  if (!vary) return 'User-Agent';
  return /(?:^|,)\s*(?:user-agent|\*)\s*(?:,|$)/i.test(vary) ? vary : `${vary}, User-Agent`;
}

/** Returns the value of `x-service-integration` on an answer of the app. */
export function appWord(outcome) {
  return `app; reason=${outcome.reason}`;
}
