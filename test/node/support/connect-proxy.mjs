import { createServer } from "node:http";
import { connect } from "node:net";

/**
 * Starts a proxy that understands CONNECT. It connects every allowed `host:port` to a port of this machine, so tests can use
 * names that no resolver knows.
 */
export async function startConnectProxy({ targets, authorization }) {
  const requests = [];
  const sockets = new Set();
  const server = createServer();
  server.on("connection", (socket) => sockets.add(socket));
  server.on("connect", ({ url, headers }, near, head) => {
    requests.push(url);
    near.on("error", () => {});
    const refuse = (status) => near.end(`HTTP/1.1 ${status}\r\n\r\n`);
    if (headers["proxy-authorization"] !== authorization) return refuse("407 Proxy Authentication Required");
    if (!(url in targets)) return refuse("403 Forbidden");
    const far = connect(targets[url], "127.0.0.1", () => {
      near.write("HTTP/1.1 200 Connection established\r\n\r\n");
      far.write(head);
      near.pipe(far).pipe(near);
    });
    far.on("error", () => near.destroy());
    near.on("close", () => far.destroy());
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `127.0.0.1:${server.address().port}`,
    requests,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
