import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { connect, createServer, type Server, type Socket } from "node:net";
import fc from "fast-check";
import { where } from "../../../../coding-agent/test/support/where.ts";
import { AllowList } from "../../../../foundation/src/network/allow-list.ts";
import { NetworkProxy, type NetworkProxyParts } from "../../../src/sandbox/network/proxy.ts";
import { listeningSocket } from "../../support/sandbox/listening-socket.ts";

const linux = where(process.platform === "linux", "the proxy takes over a socket that the sandbox of Linux made");

/** A server that keeps every byte of every connection, and answers the first line with a short response. */
class Origin {
  readonly received: string[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  port = 0;

  constructor(answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok") {
    this.#server = createServer({ allowHalfOpen: true }, (socket) => {
      const index = this.received.push("") - 1;
      this.#sockets.add(socket);
      socket.on("error", () => {});
      socket.on("data", (chunk) => {
        const before = this.received[index]!;
        this.received[index] = before + chunk.toString("latin1");
        if (!before.includes("\r\n\r\n") && this.received[index].includes("\r\n\r\n") && answer !== "")
          socket.end(answer);
      });
      socket.on("end", () => socket.end());
    });
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", () => resolve()));
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    this.port = address.port;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}

let origin: Origin;
let proxies: NetworkProxy[];

beforeEach(async () => {
  origin = new Origin();
  await origin.open();
  proxies = [];
});

afterEach(() => {
  for (const proxy of proxies) proxy.close();
  origin.close();
});

const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  "web.example": ["127.0.0.1"],
  "inside.example": ["10.0.0.1", "169.254.169.254"],
  "none.example": [],
};

async function open(more: Partial<NetworkProxyParts> = {}): Promise<{ proxy: NetworkProxy; port: number }> {
  const { port: at } = origin;
  const hosts = [`web.example:${at}`, `127.0.0.1:${at}`, "inside.example", "none.example"];
  const resolve = async (name: string) => ADDRESSES[name] ?? [];
  const proxy = new NetworkProxy({ allowed: new AllowList(hosts), resolve, ...more });
  proxies.push(proxy);
  const { descriptor, port } = listeningSocket();
  await proxy.listen(descriptor);
  return { proxy, port };
}

/** Sends bytes and returns everything that comes back until the connection ends. */
function send(port: number, bytes: string | Uint8Array, { keepsOpen = true } = {}): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: keepsOpen });
    const chunks: Buffer[] = [];
    const write = () => (keepsOpen ? socket.write(bytes) : socket.end(bytes));
    socket.on("connect", write);
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.on("error", () => {});
    socket.on("end", () => socket.end());
    socket.on("close", () => resolve(Buffer.concat(chunks).toString("latin1")));
  });
}

const firstLine = (text: string): string => text.split("\r\n", 1)[0] ?? "";
const body = (text: string): string => text.slice(text.indexOf("\r\n\r\n") + 4).trim();

linux.describe("a request over HTTP", () => {
  test("reaches a listed host, with the headers that are meant for it", async () => {
    const { port } = await open();
    const head = [
      `GET http://web.example:${origin.port}/a?b=c HTTP/1.1`,
      "Host: other.example",
      "Accept: */*",
      "Proxy-Connection: keep-alive",
      "Proxy-Authorization: Basic eA==",
      "Connection: x-mine",
      "X-Mine: 1",
    ];
    expect(body(await send(port, `${head.join("\r\n")}\r\n\r\n`))).toBe("ok");
    expect(origin.received).toEqual([
      `GET /a?b=c HTTP/1.1\r\nHost: web.example:${origin.port}\r\nAccept: */*\r\nConnection: close\r\n\r\n`,
    ]);
  });

  test.each([
    ["Content-Length: 5\r\n\r\nhello", "Content-Length: 5\r\nConnection: close\r\n\r\nhello"],
    [
      "Transfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n0\r\nX-Late: 1\r\n\r\n",
      "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    ],
  ])("carries a body: %j", async (rest, forwarded) => {
    const { port } = await open();
    expect(body(await send(port, `POST http://web.example:${origin.port}/ HTTP/1.1\r\n${rest}`))).toBe("ok");
    expect(origin.received).toEqual([`POST / HTTP/1.1\r\nHost: web.example:${origin.port}\r\n${forwarded}`]);
  });

  test("a second request on the same connection reaches nothing", async () => {
    const { port } = await open();
    const request = (host: string) => `GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    const listed = `web.example:${origin.port}`;
    await send(port, request(listed) + request("other.example") + request(listed));
    expect(origin.received).toEqual([`GET / HTTP/1.1\r\nHost: ${listed}\r\nConnection: close\r\n\r\n`]);
  });

  test.each([
    ["two lengths", "Content-Length: 4\r\nContent-Length: 40"],
    ["a length and a coding", "Content-Length: 4\r\nTransfer-Encoding: chunked"],
    ["two codings", "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity"],
    ["a list of lengths", "Content-Length: 4, 4"],
    ["a signed length", "Content-Length: +4"],
    ["a length in another base", "Content-Length: 0x4"],
    ["a folded header", "X: 1\r\n Content-Length: 4"],
    ["a space before the colon", "Content-Length : 4"],
    ["a bare line feed in a header", "X: 1\nContent-Length: 4"],
    ["a bare carriage return in a header", "X: 1\rContent-Length: 4"],
    ["a NUL in a header", "X: \0"],
    ["a header without a name", ": 1"],
    ["a header without a colon", "GET / HTTP/1.1"],
  ])("is refused with %s", async (_name, headers) => {
    const { port } = await open();
    const answer = await send(port, `POST http://web.example:${origin.port}/ HTTP/1.1\r\n${headers}\r\n\r\nabcd`);
    expect(firstLine(answer)).toBe("HTTP/1.1 400 Bad Request");
    expect(origin.received).toEqual([]);
  });

  test.each([
    ["GET / HTTP/1.1"],
    ["GET //web.example/ HTTP/1.1"],
    ["GET https://web.example/ HTTP/1.1"],
    ["GET ftp://web.example/ HTTP/1.1"],
    ["GET http://user@web.example/ HTTP/1.1"],
    ["GET http://web.example:0/ HTTP/1.1"],
    ["GET http://web.example:99999/ HTTP/1.1"],
    ["GET http://127.1/ HTTP/1.1"],
    ["GET http://0x7f000001/ HTTP/1.1"],
    ["GET http://web.example/ HTTP/2"],
    ["GET  http://web.example/ HTTP/1.1"],
    ["GET http://web.example/\tx HTTP/1.1"],
    ["GET http://web.example"],
    ["CONNECT web.example HTTP/1.1"],
    ["CONNECT http://web.example:443 HTTP/1.1"],
    ["CONNECT :443 HTTP/1.1"],
    ["* * *"],
  ])("is refused as %j", async (line) => {
    const { port } = await open();
    expect(firstLine(await send(port, `${line}\r\nHost: web.example\r\n\r\n`))).toBe("HTTP/1.1 400 Bad Request");
  });

  test("a chunk that is not one ends both connections before the server can take the request for complete", async () => {
    const { port } = await open();
    origin.close();
    origin = new Origin("");
    await origin.open();
    const { port: silent } = await open();
    const head = `POST http://web.example:${origin.port}/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n`;
    expect(await send(silent, `${head}5\r\nhelloGET /smuggled HTTP/1.1\r\n\r\n`)).toBe("");
    expect(origin.received.join("")).not.toContain("smuggled");
    expect(origin.received.join("")).not.toContain("0\r\n\r\n");
    expect(port).not.toBe(silent);
  });

  test("whatever is sent, a server gets at most one request per connection, and its own name", async () => {
    const { port } = await open();
    const pieces = [
      "GET ",
      "POST ",
      "CONNECT ",
      `http://web.example:${origin.port}/`,
      `web.example:${origin.port}`,
      " HTTP/1.1",
      "\r\n",
      "\r\n",
      "\n",
      "\r",
      " ",
      "\t",
      "\0",
      "Host: other.example",
      "Content-Length: 3",
      "Content-Length: 0",
      "Transfer-Encoding: chunked",
      "3\r\nabc\r\n",
      "0\r\n\r\n",
      "ffffffff\r\n",
      "abc",
      "X: y",
      "é",
    ];
    const request = `POST http://web.example:${origin.port}/ HTTP/1.1\r\n`;
    let forwarded = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...pieces), { maxLength: 12 }), async (parts) => {
        origin.received.length = 0;
        await send(
          port,
          Buffer.from(`${request}${parts.join("")}\r\n\r\nGET /next HTTP/1.1\r\nHost: other.example\r\n\r\n`, "latin1"),
          { keepsOpen: false },
        );
        expect(origin.received.length).toBeLessThanOrEqual(1);
        forwarded += origin.received.length;
        for (const text of origin.received) {
          const [head = ""] = text.split("\r\n\r\n");
          expect(text).toStartWith(`POST / HTTP/1.1\r\nHost: web.example:${origin.port}\r\n`);
          expect(head.match(/^host:/gim)).toHaveLength(1);
          expect(head.match(/^(content-length|transfer-encoding):/gim)?.length ?? 0).toBeLessThanOrEqual(1);
          expect(text.slice(head.length)).not.toContain("/next");
        }
      }),
      { numRuns: 150 },
    );
    expect(forwarded).toBeGreaterThan(20);
  });
});

linux.describe("a tunnel", () => {
  test("carries both directions and lets either side finish first", async () => {
    const { port } = await open();
    const answer = await send(
      port,
      `CONNECT web.example:${origin.port} HTTP/1.1\r\nHost: x\r\n\r\nGET /raw HTTP/1.0\r\n\r\n`,
    );
    expect(answer).toBe(
      "HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok",
    );
    expect(origin.received).toEqual(["GET /raw HTTP/1.0\r\n\r\n"]);
  });

  test("carries more than fits into memory buffers, unchanged", async () => {
    const size = 3_000_000;
    const echo = createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket));
    await new Promise<void>((resolve) => echo.listen(0, "127.0.0.1", () => resolve()));
    const { port: echoPort } = echo.address() as { port: number };
    const { port } = await open({ allowed: new AllowList([`127.0.0.1:${echoPort}`]) });
    const sent = Buffer.alloc(size, "0123456789");
    const request = Buffer.concat([Buffer.from(`CONNECT 127.0.0.1:${echoPort} HTTP/1.1\r\n\r\n`), sent]);
    const answer = await send(port, request, { keepsOpen: false });
    expect(Buffer.from(body(answer), "latin1").equals(sent)).toBe(true);
    echo.close();
  });
});

linux.describe("SOCKS5", () => {
  const greeting = [5, 1, 0];
  const name = (host: string) => [3, host.length, ...Buffer.from(host, "latin1")];
  const request = (address: number[], port: number, command = 1) =>
    Uint8Array.from([...greeting, 5, command, 0, ...address, port >> 8, port & 255]);
  const reply = (answer: string) => [...Buffer.from(answer, "latin1")];

  test.each([
    ["a name", name("web.example")],
    ["an address", [1, 127, 0, 0, 1]],
    ["an IPv4 address written as IPv6", [4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 127, 0, 0, 1]],
  ])("connects to %s of the list", async (_kind, address) => {
    const { port } = await open();
    const bytes = Buffer.concat([request(address, origin.port), Buffer.from("GET / HTTP/1.0\r\n\r\n")]);
    const answer = reply(await send(port, bytes));
    expect(answer.slice(0, 12)).toEqual([5, 0, 5, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
    expect(origin.received).toEqual(["GET / HTTP/1.0\r\n\r\n"]);
  });

  test.each([
    ["an unlisted name", request(name("other.example"), 443), [5, 0, 5, 2]],
    ["an unlisted address", request([1, 10, 0, 0, 1], 443), [5, 0, 5, 2]],
    ["an unlisted IPv6 address", request([4, ...Array<number>(15).fill(0), 1], 443), [5, 0, 5, 2]],
    ["a name that is an address in disguise", request(name("127.1"), 443), [5, 0, 5, 2]],
    ["an empty name", request(name(""), 443), [5, 0, 5, 2]],
    ["a name without an address", request(name("none.example"), 443), [5, 0, 5, 4]],
    ["a listening port", request(name("web.example"), 443, 2), [5, 0, 5, 7]],
    ["datagrams", request(name("web.example"), 443, 3), [5, 0, 5, 7]],
    ["an unknown kind of address", request([9, 0], 443), [5, 0, 5, 8]],
    ["a login", Uint8Array.of(5, 1, 2), [5, 255]],
    ["SOCKS4", Uint8Array.of(4, 1, 1, 187, 127, 0, 0, 1, 0), []],
  ])("refuses %s", async (_name, bytes, expected) => {
    const { port } = await open();
    const answer = reply(await send(port, Buffer.concat([bytes, Buffer.from("\r\n\r\n")])));
    if (expected.length > 0) expect(answer.slice(0, expected.length)).toEqual(expected);
    expect(origin.received).toEqual([]);
  });
});

linux.describe("what is not allowed", () => {
  const ask = (port: number, host: string) => send(port, `CONNECT ${host} HTTP/1.1\r\n\r\n`);

  test.each([
    ["other.example:443", "network: other.example is not in sandbox.network"],
    ["inside.example:22", "network: inside.example:22 is not in sandbox.network"],
    ["10.0.0.1:443", "network: 10.0.0.1 is not in sandbox.network"],
    ["[::1]:443", "network: ::1 is not in sandbox.network"],
    ["[fe80::1]:443", "network: fe80::1 is not in sandbox.network"],
    ["169.254.169.254:80", "network: 169.254.169.254 is not in sandbox.network"],
    [
      "inside.example:443",
      "network: inside.example resolves to 10.0.0.1, which is not a public address and not in sandbox.network",
    ],
  ])("%s gets an answer with the reason, which the proxy keeps", async (host, reason) => {
    const { proxy, port } = await open();
    const answer = await ask(port, host);
    expect([firstLine(answer), body(answer)]).toEqual(["HTTP/1.1 403 Forbidden", reason]);
    expect(proxy.refusals).toEqual([reason]);
  });

  test("a host that cannot be reached is no refusal of the list", async () => {
    const { proxy, port } = await open();
    const answer = await ask(port, "none.example:443");
    expect([firstLine(answer), body(answer)]).toEqual(["HTTP/1.1 502 Bad Gateway", "none.example cannot be resolved"]);
    expect(proxy.refusals).toEqual([]);
  });

  test("a name is resolved once per connection, and the connection goes to that address", async () => {
    const asked: string[] = [];
    const resolve = async (name: string) => {
      asked.push(name);
      return asked.length === 1 ? ["127.0.0.1"] : ["10.0.0.1"];
    };
    const { proxy, port } = await open({ resolve });
    const request = `GET http://web.example:${origin.port}/ HTTP/1.1\r\n\r\n`;
    expect(body(await send(port, request))).toBe("ok");
    expect(firstLine(await send(port, request))).toBe("HTTP/1.1 403 Forbidden");
    expect(asked).toEqual(["web.example", "web.example"]);
    expect(proxy.refusals).toHaveLength(1);
  });

  test("of several addresses only the allowed ones are tried", async () => {
    const resolve = async () => ["10.0.0.1", "::1", "127.0.0.1"];
    const { port } = await open({ resolve });
    expect(body(await send(port, `GET http://web.example:${origin.port}/ HTTP/1.1\r\n\r\n`))).toBe("ok");
  });

  test("an address of this machine needs an entry, even a public one", async () => {
    const { proxy, port } = await open({ resolve: async () => ["0.0.0.0"] });
    expect(firstLine(await ask(port, "inside.example:80"))).toBe("HTTP/1.1 403 Forbidden");
    expect(proxy.refusals).toHaveLength(1);
  });

  test("a redirect is followed by the client, with another request that is checked", async () => {
    origin.close();
    origin = new Origin(
      "HTTP/1.1 302 Found\r\nLocation: http://other.example/\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
    );
    await origin.open();
    const { proxy, port } = await open();
    const response = await fetch(`http://web.example:${origin.port}/`, { proxy: `http://127.0.0.1:${port}` });
    expect([response.status, (await response.text()).trim()]).toEqual([
      403,
      "network: other.example is not in sandbox.network",
    ]);
    expect(proxy.refusals).toEqual(["network: other.example is not in sandbox.network"]);
  });

  test("only the first ten refusals are kept", async () => {
    const { proxy, port } = await open();
    for (let index = 0; index < 15; index += 1) await ask(port, `host-${index}.example:443`);
    expect(proxy.refusals).toHaveLength(10);
  });
});

linux.describe("limits", () => {
  test("a head that is too long is refused", async () => {
    const { port } = await open({ limits: { headBytes: 1_000 } });
    const answer = await send(port, `GET http://web.example:${origin.port}/ HTTP/1.1\r\nX: ${"x".repeat(100_000)}`);
    expect(firstLine(answer)).toBe("HTTP/1.1 431 Request Header Fields Too Large");
    expect(origin.received).toEqual([]);
  });

  test("a client that does not finish its request is disconnected", async () => {
    const { port } = await open({ limits: { headMs: 50 } });
    const starts = ["", "GET http://web.ex", "\x05", "\x05\x01\x00\x05\x01\x00\x03\x50we"];
    expect(await Promise.all(starts.map((start) => send(port, start)))).toEqual(["", "", "", "\x05\x00"]);
  });

  test("a tunnel without traffic is closed", async () => {
    origin.close();
    origin = new Origin("");
    await origin.open();
    const { port } = await open({ limits: { idleMs: 50 } });
    expect(await send(port, `CONNECT web.example:${origin.port} HTTP/1.1\r\n\r\n`)).toBe(
      "HTTP/1.1 200 Connection established\r\n\r\n",
    );
  });

  test("connections beyond the limit are closed, and closed ones make room", async () => {
    const { port } = await open({ limits: { connections: 1 } });
    const first = connect(port, "127.0.0.1");
    await new Promise<void>((resolve) => first.once("connect", () => resolve()));
    const request = `GET http://web.example:${origin.port}/ HTTP/1.1\r\n\r\n`;
    expect(await send(port, request)).toBe("");
    first.destroy();
    let answer = "";
    while (answer === "") answer = await send(port, request);
    expect(body(answer)).toBe("ok");
  });

  test("closing the proxy ends its connections", async () => {
    origin.close();
    origin = new Origin("");
    await origin.open();
    const { proxy, port } = await open();
    const ended = send(port, `CONNECT web.example:${origin.port} HTTP/1.1\r\n\r\nx`);
    while (origin.received.length === 0) await Bun.sleep(1);
    proxy.close();
    expect(await ended).toBe("HTTP/1.1 200 Connection established\r\n\r\n");
  });
});

describe("a listener", () => {
  test("that does not listen is an error", async () => {
    const proxy = new NetworkProxy({ allowed: new AllowList([]) });
    await proxy.listen(-1).then(
      () => expect.unreachable(),
      (error) => expect(error).toBeInstanceOf(Error),
    );
  });
});
