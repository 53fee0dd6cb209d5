// Server-sent events. At most one stream a tab, closed while the tab is hidden: over HTTP/1.1 a browser has six connections for
// all tabs together. The newest part that asks has the stream; when it ends, the one before goes on.
// Must never report old events again: a stream that was closed begins with what comes then.
import { get } from './client';
import { pauseBefore } from './queries';

export interface StreamReader {
  /** Address of the stream, with its query. */
  address: string;
  /** Handlers by the name of the event, for its data. */
  events: Record<string, (data: unknown) => void>;
  /** Tells that the stream opened or closed. */
  onState?(isOpen: boolean): void;
}

const readers: StreamReader[] = [];
let source: EventSource | null = null;
let current: StreamReader | null = null;
let failures = 0;
let again: ReturnType<typeof setTimeout> | undefined;

/** Begins a stream and returns the function that ends it: for `$effect`. */
export function openStream(reader: StreamReader): () => void {
  readers.push(reader);
  connect();
  return () => {
    readers.splice(readers.indexOf(reader), 1);
    connect();
  };
}

if (typeof document !== 'undefined') document.addEventListener('visibilitychange', connect);

function connect(): void {
  const wanted = document.hidden ? null : (readers.at(-1) ?? null);
  if (wanted === current && source !== null) return;
  clearTimeout(again);
  source?.close();
  current?.onState?.(false);
  [source, current, failures] = [null, wanted, 0];
  if (wanted !== null) open(wanted);
}

function open(reader: StreamReader): void {
  source = new EventSource(reader.address);
  source.addEventListener('open', () => {
    failures = 0;
    reader.onState?.(true);
  });
  source.addEventListener('error', () => {
    reader.onState?.(false);
    // A browser reconnects by itself unless the service refused.
    if (source?.readyState === EventSource.CLOSED && current === reader) retry(reader);
  });
  for (const [name, handle] of Object.entries(reader.events)) {
    source.addEventListener(name, (event: MessageEvent<string>) => {
      if (current === reader) handle(JSON.parse(event.data));
    });
  }
}

function retry(reader: StreamReader): void {
  source = null;
  // A stream does not say why it was refused: an ended session does, to whatever asks next.
  void get('/api/session').catch(() => undefined);
  again = setTimeout(
    () => {
      if (current === reader) open(reader);
    },
    5_000 + pauseBefore(Math.min(failures++, 5)),
  );
}
