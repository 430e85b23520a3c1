import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchPath } from "../../../../../test/support/scratch-directory.mjs";
import { LineClient } from "../../support/line-client.ts";
import { startServer } from "../../support/running-server.ts";
import { LIMITS } from "../../support/server-state.ts";

const scratch = scratchPath();
let made = 0;
function freshDirectory(): string {
  made += 1;
  return join(scratch, `d${made}`);
}
const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe("the place of the socket", () => {
  test("is made for this user alone, and is gone with the server", async () => {
    const socket = join(freshDirectory(), "pintle.sock");
    {
      await using server = await startServer({ socket });
      expect({ socket: mode(socket), directory: mode(join(socket, "..")) }).toEqual({
        socket: "600",
        directory: "700",
      });
      expect(server.reported).toEqual([`listening on ${socket}`]);
    }
    expect(existsSync(socket)).toBe(false);
  });

  test.each([0o755, 0o770, 0o701, 0o1777])(
    "is refused in a directory of mode %o, which stays as it is",
    async (open) => {
      const directory = freshDirectory();
      mkdirSync(directory);
      chmodSync(directory, open);
      expect(await startServer({ socket: join(directory, "s") }).catch(String)).toContain("is open to other users");
      expect(statSync(directory).mode & 0o7777).toBe(open);
    },
  );

  test("is refused where something else is, also a link", async () => {
    const directory = freshDirectory();
    mkdirSync(directory, { mode: 0o700 });
    writeFileSync(join(directory, "file"), "kept");
    symlinkSync(join(directory, "file"), join(directory, "link"));
    for (const name of ["file", "link"])
      expect(await startServer({ socket: join(directory, name) }).catch(String)).toContain("is not a socket");
    expect(await Bun.file(join(directory, "file")).text()).toBe("kept");
    expect(await startServer({ socket: join(directory, "x".repeat(120)) }).catch(String)).toContain(
      "at most 103 bytes",
    );
  });

  test("of a killed server is taken over, of a live one it is not", async () => {
    const socket = join(freshDirectory(), "s");
    mkdirSync(join(socket, ".."), { mode: 0o700 });
    const listen = `Bun.listen({ unix: ${JSON.stringify(socket)}, socket: { data() {} } }); console.log("up")`;
    const child = Bun.spawn([process.execPath, "-e", listen], { stdout: "pipe" });
    await child.stdout.getReader().read();
    expect(await startServer({ socket }).catch(String)).toContain("another server listens on");
    child.kill("SIGKILL");
    await child.exited;
    expect(existsSync(socket)).toBe(true);
    await using _server = await startServer({ socket });
    const host = await LineClient.connect(socket);
    expect(await host.next(() => true)).toMatchObject({ type: "server_ready" });
  });
});

describe("a host on the socket", () => {
  test("receives server_ready first, and its lines are read", async () => {
    const socket = join(freshDirectory(), "s");
    await using server = await startServer({ socket });
    const host = await LineClient.connect(socket);
    host.send("one\ntwo");
    await host.next(({ line }) => line === "two");
    expect(host.frames.map(({ type, line }) => line ?? type)).toEqual(["server_ready", "one", "two"]);
    host.send("x".repeat(LIMITS.maxFrameBytes + 1));
    expect(await host.next(({ type }) => type === "response")).toMatchObject({
      success: false,
      code: "invalid_request",
      error: `the frame is longer than ${LIMITS.maxFrameBytes} bytes`,
    });
    host.send("three");
    await host.next(({ line }) => line === "three");
    expect(server.gateway.received).toEqual(["one", "two", "three"]);
    host.close();
    while (server.gateway.closed === 0) await Bun.sleep(1);
  });

  test("that never reads is dropped, while another one receives everything; it resumes at its cursor", async () => {
    const socket = join(freshDirectory(), "s");
    await using server = await startServer({ socket });
    const stuck = await LineClient.connect(socket, { isPaused: true });
    const reading = await LineClient.connect(socket);
    await reading.next(() => true);
    const text = "x".repeat(10_000);
    for (let seq = 1; server.gateway.closed === 0; seq += 1) {
      const frame = { json: JSON.stringify({ type: "notice", text, sessionId: "s", seq }), sessionId: "s", seq };
      for (const host of server.gateway.hosts) host.send(frame);
      await reading.next((read) => read.seq === seq);
      expect(server.gateway.hosts[0]!.queuedBytes).toBeLessThan(LIMITS.maxQueuedBytes + 20_000);
    }
    stuck.resume();
    await stuck.closed;
    const last = stuck.frames.at(-1);
    const told = stuck.frames.filter(({ type }) => type === "notice").map(({ seq }) => seq as number);
    expect(last).toEqual({ type: "lagged", sessionId: "s", cursor: { epoch: "e1", seq: told.at(-1) } });
    expect(told).toEqual(told.map((_, index) => index + 1));
  });

  test("finds no place when there are too many", async () => {
    const socket = join(freshDirectory(), "s");
    await using _server = await startServer({ socket, limits: { ...LIMITS, maxConnections: 1 } });
    await LineClient.connect(socket);
    const second = await LineClient.connect(socket);
    await second.closed;
    expect(second.frames).toEqual([]);
  });
});
