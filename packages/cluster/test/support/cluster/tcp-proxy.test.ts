import { expect, test } from "bun:test";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { TcpProxy } from "./tcp-proxy.ts";

/** A server that echoes each piece, behind a proxy, and a connection to it. */
async function talk() {
  const heard: string[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => {}); // a connection that is cut
    socket.on("data", (bytes) => {
      heard.push(bytes.toString());
      socket.write(bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const proxy = await TcpProxy.start((server.address() as AddressInfo).port);
  return {
    proxy,
    heard,
    peer: () => new Peer(connect({ port: proxy.port, host: "127.0.0.1", allowHalfOpen: true })),
    async [Symbol.asyncDispose]() {
      await proxy.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

class Peer {
  text = "";
  end: "open" | "ended" | "closed" = "open";
  readonly socket: Socket;
  #changed = () => {};

  constructor(socket: Socket) {
    this.socket = socket;
    const on = (event: string, change: (bytes: unknown) => void) =>
      socket.on(event, (bytes: unknown) => {
        change(bytes);
        this.#changed();
      });
    on("data", (bytes) => {
      this.text += String(bytes);
    });
    on("end", () => {
      this.end = "ended";
    });
    on("close", () => {
      this.end = "closed";
    });
    socket.on("error", () => {}); // the close event reports it
  }

  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    }
  }
}

test("forwards data, and cuts connections", async () => {
  await using all = await talk();
  const peer = all.peer();
  peer.socket.write("one");
  await peer.until(() => peer.text === "one");
  expect(all.proxy.size).toBe(1);
  all.proxy.cut();
  await peer.until(() => peer.end === "closed");
  expect(all.proxy.size).toBe(0);
  const again = all.peer();
  again.socket.write("two");
  await again.until(() => again.text === "two");
  expect(all.proxy.accepted).toBe(2);
  again.socket.destroy();
});

test("holds everything while it is frozen, also of new connections, and loses none of it", async () => {
  await using all = await talk();
  const old = all.peer();
  old.socket.write("a");
  await old.until(() => old.text === "a");
  all.proxy.freeze();
  old.socket.write("b");
  const late = all.peer();
  late.socket.write("c");
  while (all.proxy.accepted < 2) await Bun.sleep(1);
  expect(all.heard).toEqual(["a"]);
  all.proxy.thaw();
  await old.until(() => old.text === "ab");
  await late.until(() => late.text === "c");
  expect(all.heard.toSorted()).toEqual(["a", "b", "c"]);
  old.socket.destroy();
  late.socket.destroy();
});

test("refuses, delays and closes one direction", async () => {
  await using all = await talk();
  all.proxy.refuse();
  const refused = all.peer();
  await refused.until(() => refused.end === "closed");
  all.proxy.allow();
  const peer = all.peer();
  all.proxy.delayMs = 5;
  for (const letter of "abcdef") peer.socket.write(letter);
  await peer.until(() => peer.text.length === 6);
  expect(peer.text).toBe("abcdef");
  all.proxy.halfClose();
  await peer.until(() => peer.end === "ended");
  peer.socket.write("still heard");
  while (!all.heard.join("").includes("still heard")) await Bun.sleep(1);
  expect(peer.text).toBe("abcdef");
  peer.socket.destroy();
});
