// Ports of loopback: free ones, servers inside the test's process, and probes of what listens.
// Used by the end-to-end suites and the benchmarks.
import net from 'node:net';

/** @param {number} ms */
export const pause = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

/**
 * Starts a server on loopback. Port 0 chooses a free one. `close` ends open connections, but no upgraded ones.
 * @param {net.Server & { closeAllConnections?(): void }} server
 */
export async function listen(server, port = 0, host = '127.0.0.1') {
  await new Promise((resolve, reject) => { server.once('error', reject).listen(port, host, () => resolve(undefined)); });
  const address = /** @type {net.AddressInfo} */ (server.address());
  return {
    port: address.port,
    /** Host and port, as the origin of a domain is set. */
    host: `${host}:${address.port}`,
    close: () => new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections?.();
    }),
  };
}

/** @type {Set<number>} */
const found = new Set();

/**
 * Finds a port that nothing listens on, each time another one. It lies below the ports that the system gives to connections and to servers
 * without a port of their own (32768 and up), so that none of those takes it before it is used.
 */
export async function freePort() {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const server = found.has(port) ? null : await listen(net.createServer(), port).catch(() => null);
    if (server === null) continue;
    found.add(port);
    await server.close();
    return port;
  }
}

/**
 * @param {number} port
 * @returns {Promise<boolean>} true once something accepts connections at the port
 */
export const accepts = (port) => new Promise((resolve) => {
  const socket = net.connect(port, '127.0.0.1', () => { socket.destroy(); resolve(true); });
  socket.on('error', () => resolve(false));
});

/**
 * @param {string} url
 * @returns {Promise<boolean>} true once the address answers with success
 */
export const answers = (url) => fetch(url).then((answer) => answer.ok, () => false);
