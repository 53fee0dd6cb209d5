// One question over a bare socket: what Node's own client does not send. Used by run.mjs.
import net from 'node:net';

/** Sends text to a port, each piece once the answer matches what is expected before it; returns what came, at the end or after a while. */
export function askBySocket(port, pieces, timeoutMs = 5000) {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    let received = '';
    const done = () => { clearTimeout(late); socket.destroy(); resolve(received); };
    const late = setTimeout(done, timeoutMs);
    const go = () => {
      while (pieces.length > 0 && pieces[0].after.test(received)) socket.write(pieces.shift().text);
    };
    socket.on('connect', go).on('error', done).on('end', done).on('data', (piece) => {
      received += piece;
      go();
      if (pieces.length === 0 && /echo/.test(received)) done();
    });
  });
}
