// Stops asking a service that is away: after three failures in a row nobody asks for 30 s, then one request does.

const MOST_FAILURES = 3;
const PAUSE_MS = 30_000;

export function createBreaker(now) {
  let failures = 0;
  let pausedUntil = 0;
  let isTrying = false;
  return {
    mayAsk() {
      if (failures < MOST_FAILURES) return true;
      if (isTrying || now() < pausedUntil) return false;
      isTrying = true;
      return true;
    },
    succeeded() {
      failures = 0;
      isTrying = false;
    },
    failed() {
      failures += 1;
      isTrying = false;
      if (failures >= MOST_FAILURES) pausedUntil = now() + PAUSE_MS;
    },
  };
}
