// Stops asking a service that is away: when it was away three times in a row nobody asks for 30 s, then one request does. A service
// that answers late or with an error is there.

const MOST_FAILURES = 3;
const PAUSE_MS = 30_000;

export function createBreaker(now) {
  let failures = 0;
  let pausedUntil = 0;
  return {
    mayAsk() {
      if (failures < MOST_FAILURES) return true;
      if (now() < pausedUntil) return false;
      // The next pause begins with the one request, not with its failure: a platform may end the request without a word.
      pausedUntil = now() + PAUSE_MS;
      return true;
    },
    isThere() {
      failures = 0;
    },
    isAway() {
      failures += 1;
      if (failures >= MOST_FAILURES) pausedUntil = now() + PAUSE_MS;
    },
  };
}
