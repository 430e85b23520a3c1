import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RawSocket } from "../support/raw-socket.ts";
import { ServeProgram } from "../support/serve-program.ts";
import type { WebHost } from "../support/web-host.ts";

const UPGRADE = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
};

async function openSession(host: WebHost): Promise<string> {
  const { data } = await host.ask({ type: "open_session" });
  return (data as { sessionId: string }).sessionId;
}

describe("access to the built program", () => {
  test("is closed to other pages, other names, and those without the token", async () => {
    await using served = new ServeProgram({ settings: { "serve.maxAuthFailures": 3 } });
    const { url, port, token } = await served.address();
    const bearer = `Bearer ${token}`;
    const status = async (path: string, headers: Record<string, string>) =>
      (await fetch(url + path, { headers: { ...UPGRADE, ...headers } })).status;
    const forged = [
      { origin: "http://evil.example" },
      { origin: "null" },
      { origin: `http://localhost:${port}` },
      { origin: "chrome-extension://abcdefghijklmnopabcdefghijklmnop" },
      { host: "evil.example" },
      { host: `127.0.0.1.evil.example:${port}` },
      { "sec-fetch-site": "cross-site", "sec-fetch-mode": "websocket" },
    ] as Record<string, string>[];
    for (const headers of forged)
      expect([headers, await status("/ws", { authorization: bearer, ...headers })]).toEqual([headers, 403]);
    expect(await status(`/ws?token=${token}`, { authorization: bearer })).toBe(400);
    expect(await status("/ws", { authorization: bearer, origin: url })).toBe(101);

    expect(await status("/ws", {})).toBe(401);
    expect(await status("/ws", { authorization: `Bearer ${token.slice(0, -1)}` })).toBe(401);
    expect(await status("/metrics", { referer: `${url}/?token=${token}`, cookie: `token=${token}` })).toBe(401);
    expect(await status("/ws", { authorization: `Bearer ${token.slice(0, -1)}` })).toBe(429);
    expect(await status("/metrics", {})).toBe(429);
    // Wrong tokens from the same machine do not lock out the owner.
    expect(await status("/ws", { authorization: bearer })).toBe(101);
    expect(await status("/metrics", { authorization: bearer })).toBe(200);
    expect(await status("/healthz", { host: "evil.example" })).toBe(200);
    expect(served.stderr.split(token)).toHaveLength(2); // the address that was printed at the start
  });
});

describe("what the server answers", () => {
  test("does not tell a right token in an address from a guess", async () => {
    await using served = new ServeProgram({ args: ["--web"] });
    const { url, token } = await served.address();
    const guess = token.replace(/^./, (first) => (first === "A" ? "B" : "A"));
    for (const path of ["/?x=", "/metrics?x=", "/ws?x=", "/export/s?x=", "/nowhere?x=", "/?x=1&y=", "/?"]) {
      const [right, wrong] = await Promise.all([token, guess].map((value) => fetch(url + path + value)));
      expect([path, right?.status, await right?.text()]).toEqual([path, 400, await wrong!.text()]);
      expect(wrong?.status).toBe(400);
    }
    expect((await fetch(`${url}/?x=1`)).status).toBe(200);
  });

  test("to a malformed Host is 400", async () => {
    await using served = new ServeProgram();
    const { port } = await served.address();
    for (const host of [
      "a b",
      "[::1",
      "%zz",
      "http://x",
      "a:b:c",
      "localhost:99999",
      "<script>",
      "",
      "a/../b",
      "\u00ff",
    ]) {
      const socket = await RawSocket.connect(port);
      socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      await Promise.race([socket.received(/\r\n\r\n/), socket.closed]);
      expect([host, socket.text().split(" ")[1]]).toEqual([host, expect.stringMatching(/^40[03]$/)]);
    }
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
  });
});

describe("a host with the token", () => {
  test("cannot reach files by the id of a session", async () => {
    await using served = new ServeProgram();
    const host = await served.connect();
    const outside = join(served.root, "..", "outside.jsonl");
    writeFileSync(outside, '{"type":"session","version":3,"id":"outside","timestamp":"","cwd":"/"}\n');
    const ids = [
      "../outside",
      "../../outside.jsonl",
      "..",
      "/etc/passwd",
      "x\0y",
      "%2e%2e%2foutside",
      "",
      "*",
      "a".repeat(5000),
    ];
    const before = listing(join(served.root, ".."));
    for (const sessionId of ids) {
      for (const type of ["attach_session", "close_session", "delete_session", "restore_session", "get_state"]) {
        expect(await host.ask({ type, sessionId })).toMatchObject({ success: false });
      }
      if (sessionId !== "")
        expect(await host.ask({ type: "open_session", session: sessionId })).toMatchObject({ success: false });
    }
    expect(await host.ask({ type: "open_session", cwd: "/" })).toMatchObject({ success: false, code: "not_allowed" });
    expect(await host.ask({ type: "open_session", env: { LD_PRELOAD: "/x" } })).toMatchObject({ code: "not_allowed" });
    expect({ files: listing(join(served.root, "..")), isThere: existsSync(outside) }).toEqual({
      files: before,
      isThere: true,
    });
    const { url, token } = await served.address();
    for (const path of ["/export/..%2foutside", "/export/%2e%2e%2f%2e%2e%2fetc%2fpasswd", "/export/", "/export/%ff"]) {
      const { status } = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } });
      expect([path, status]).toEqual([path, 404]);
    }
  });

  test("receives nothing of a session that it is not attached to", async () => {
    await using served = new ServeProgram();
    const [owner, other] = [await served.connect(), await served.connect()];
    const sessionId = await openSession(owner);
    await owner.ask({ type: "prompt", sessionId, message: "help" });
    await owner.next(({ type }) => type === "agent_settled");
    await other.ask({ type: "get_server_state" });
    expect(other.frames.filter((frame) => frame.sessionId !== undefined)).toEqual([]);
    for (const frame of [
      { type: "extension_ui_response", id: "1", value: "x" },
      { type: "host_tool_result", id: "1", result: { content: [] } },
    ])
      other.send(JSON.stringify({ ...frame, sessionId }));
    expect(await other.ask({ type: "get_server_state" })).toMatchObject({ success: true });
  });

  test("whose frame is too long is disconnected, the others stay, and the memory too", async () => {
    await using served = new ServeProgram({ settings: { "serve.maxFrameBytes": 100_000 } });
    const [host, long] = [await served.connect(), await served.connect()];
    const before = memoryMb(served.pid);
    long.send("x".repeat(50_000_000));
    await long.closed;
    expect(await host.ask({ type: "get_server_state" })).toMatchObject({ data: { connections: 1 } });
    expect(memoryMb(served.pid) - before).toBeLessThan(100);
  });

  test("that never reads is dropped; another one on the same session receives everything", async () => {
    await using served = new ServeProgram({ settings: { "serve.maxQueuedBytes": 1_000_000 } });
    const { port, token } = await served.address();
    const reading = await served.connect();
    const sessionId = await openSession(reading);
    const stuck = await RawSocket.connect(port);
    stuck.upgrade(token);
    await stuck.received(/server_ready/);
    stuck.sendText(JSON.stringify({ id: "1", type: "attach_session", sessionId, mode: "full" }));
    await stuck.received(/"attach_session","success":true/);
    stuck.pause();
    const before = memoryMb(served.pid);
    // Each prompt is part of the events that both hosts receive.
    for (let n = 0; ; n += 1) {
      const { seq = 0 } = reading.frames.findLast(({ type }) => type === "agent_settled") ?? {};
      await reading.ask({ type: "prompt", sessionId, message: `${n} ${"x".repeat(100_000)}` });
      await reading.next((frame) => frame.type === "agent_settled" && (frame.seq as number) > (seq as number));
      const { data } = await reading.ask({ type: "get_server_state" });
      if ((data as { connections: number }).connections === 1) break;
    }
    expect(memoryMb(served.pid) - before).toBeLessThan(100);
    const seqs = reading.frames.flatMap(({ seq }) => (seq === undefined ? [] : [seq as number]));
    expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
    stuck.resume();
    await stuck.closed;
    expect(stuck.text()).toContain(`{"type":"lagged","sessionId":"${sessionId}","cursor":{"epoch":"`);
  });
});

describe("connections that say nothing", () => {
  /**
   * The number of files that this process may open minus those it needs itself, which may be fewer than 10,000 on some
   * systems.
   */
  const most = Math.min(10_000, descriptorLimit() - 500);

  test(`${most} of them are let go after a while, and a host is served all the time`, async () => {
    await using served = new ServeProgram();
    const { port } = await served.address();
    const host = await served.connect();
    const before = memoryMb(served.pid);
    const silent: RawSocket[] = [];
    while (silent.length < most) {
      silent.push(
        ...(await Promise.all(
          Array.from({ length: Math.min(500, most - silent.length) }, () => RawSocket.connect(port)),
        )),
      );
    }
    for (const [n, socket] of silent.entries()) if (n % 2 === 0) socket.write("GET /ws HTTP/1.1\r\nHost: 127");
    const sessionId = await openSession(host);
    await host.ask({ type: "prompt", sessionId, message: "help" });
    await host.next(({ type }) => type === "agent_settled");
    expect(memoryMb(served.pid) - before).toBeLessThan(300);
    const another = await served.connect();
    expect(await another.ask({ type: "get_server_state" })).toMatchObject({ data: { connections: 2 } });
    await Promise.all(silent.map(({ closed }) => closed));
  }, 120_000);

  test("a request that comes byte by byte is given up", async () => {
    await using served = new ServeProgram();
    const { port } = await served.address();
    const socket = await RawSocket.connect(port);
    socket.write("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n");
    const dribble = setInterval(() => socket.write("X: y\r\n"), 200);
    await socket.closed;
    clearInterval(dribble);
    expect(socket.text()).not.toContain("200 OK");
  }, 60_000);
});

function memoryMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}

function descriptorLimit(): number {
  return Number(/Max open files\s+(\d+)/.exec(readFileSync("/proc/self/limits", "utf8"))?.[1]);
}

function listing(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((path) => !path.startsWith(".pintle"))
    .sort();
}
