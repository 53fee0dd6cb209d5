// The DNS of the journeys: answers for a name what a file of the service's folder says, `A 127.0.0.1` a line; `SERVFAIL` fails;
// without a file there is no such name. Loopback only.
import dgram from 'node:dgram';
import fs from 'node:fs';
import path from 'node:path';
import { runningService } from './accounts.ts';

export interface Dns {
  address: string;
  stop(): void;
}

const TYPES: Record<number, string> = { 1: 'A', 16: 'TXT', 28: 'AAAA' };

const folderOf = (folder: string) => path.join(folder, 'dns');

/** Says what the DNS answers for a name from now on. */
export function setDns(name: string, ...lines: string[]): void {
  const folder = folderOf(runningService().folder);
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, name.toLowerCase()), lines.join('\n'));
}

/** Starts the DNS. `folder` is that of the service. */
export async function startDns(folder: string): Promise<Dns> {
  const socket = dgram.createSocket('udp4');
  socket.on('message', (query, { port, address }) => socket.send(answer(query, folderOf(folder)), port, address));
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return { address: `127.0.0.1:${socket.address().port}`, stop: () => socket.close() };
}

function answer(query: Buffer, folder: string): Buffer {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length).toLowerCase());
    at += length + 1;
  }
  const type = TYPES[query.readUInt16BE(at + 1)];
  const file = path.join(folder, path.basename(labels.join('.')));
  const lines = fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n').filter(Boolean) : null;
  const isBroken = lines?.includes('SERVFAIL') === true;
  const records = (lines ?? []).filter((line) => line.split(' ')[0] === type).map((line) => recordOf(line));
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  // An authoritative answer, with the code of what went wrong.
  header.writeUInt16BE(0x8580 | (isBroken ? 2 : lines === null ? 3 : 0), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  return Buffer.concat([header, query.subarray(12, at + 5), ...records]);
}

function recordOf(line: string): Buffer {
  const [type = '', ...rest] = line.split(' ');
  const text = rest.join(' ');
  const data =
    type === 'A'
      ? Buffer.from(text.split('.').map(Number))
      : Buffer.concat([Buffer.from([Buffer.byteLength(text)]), Buffer.from(text)]);
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type === 'A' ? 1 : 16, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(1, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}
