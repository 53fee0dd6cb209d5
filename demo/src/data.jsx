// Data of the shop over HTTP: one hook, and what a page shows while it waits or when the server does not answer.
import { useEffect, useState } from 'react';

const cache = new Map();

/** {state: 'waiting' | 'ready' | 'missing' | 'failed', data}. An undefined path waits: the page does not know it yet. */
export function useData(path) {
  const [answer, setAnswer] = useState(() => known(path));
  useEffect(() => {
    setAnswer(known(path));
    if (!path || cache.has(path)) return undefined;
    const stop = new AbortController();
    fetch(path, { signal: stop.signal, headers: { accept: 'application/json' } })
      .then(async (response) => {
        if (response.status === 404) return setAnswer({ state: 'missing' });
        if (!response.ok) throw new Error(`${path}: ${response.status}`);
        const data = await response.json();
        cache.set(path, data);
        return setAnswer({ state: 'ready', data });
      })
      .catch((error) => error.name !== 'AbortError' && setAnswer({ state: 'failed' }));
    return () => stop.abort();
  }, [path]);
  return answer;
}

const known = (path) => (cache.has(path) ? { state: 'ready', data: cache.get(path) } : { state: 'waiting' });

export function Waiting() {
  return <p className="quiet" role="status">One moment …</p>;
}

export function Failed() {
  return <p role="alert">The workshop does not answer. Please try again in a minute.</p>;
}
