import { describe, expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRoot } from "../../../coding-agent/test/support/other-user.ts";
import { LineClient } from "../support/line-client.ts";
import { ServeProgram } from "../support/serve-program.ts";

describe("pintle serve", () => {
  test("serves a session over WebSocket from open to answer", async () => {
    await using served = new ServeProgram();
    const host = await served.connect();
    const { data } = await host.ask({ type: "open_session" });
    const { sessionId } = data as { sessionId: string };
    await host.ask({ type: "prompt", sessionId, message: "help" });
    const settled = await host.next((frame) => frame.type === "agent_settled");
    expect(settled.cursor).toMatchObject({ epoch: host.frames[0]?.epoch, seq: settled.seq });
    const events = host.frames.filter(({ seq }) => seq !== undefined);
    expect(events.every((frame) => frame.sessionId === sessionId)).toBe(true);
    const seqs = events.map(({ seq }) => seq as number);
    expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
    host.close();
  });

  test("exports a stored session as a page", async () => {
    await using served = new ServeProgram();
    const { url, token } = await served.address();
    const host = await served.connect();
    const { data } = await host.ask({ type: "open_session" });
    const { sessionId } = data as { sessionId: string };
    await host.ask({ type: "prompt", sessionId, message: "help" });
    await host.next(({ type }) => type === "agent_settled");
    const response = await fetch(`${url}/export/${sessionId}`, { headers: { authorization: `Bearer ${token}` } });
    expect({ status: response.status, type: response.headers.get("content-type") }).toEqual({
      status: 200,
      type: "text/html; charset=utf-8",
    });
    expect(await response.text()).toContain("<!doctype html>");
  });

  test("serves the parent over stdin and stdout, and ends with it", async () => {
    await using served = new ServeProgram({ args: ["--stdio"] });
    served.child.stdin.write('{"id":"1","type":"get_server_state"}\n{"id":"2","type":"nonsense"}\n');
    served.child.stdin.end();
    const lines = (await new Response(served.child.stdout).text()).trim().split("\n");
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { type: "server_ready", limits: { maxConnections: 256 } },
      { id: "1", success: true, data: { connections: 1, workers: 0 } },
      { requestId: "2", success: false, error: "Unknown command: nonsense" },
    ]);
    expect(await served.child.exited).toBe(0);
  });

  test("serves on a unix socket, and at the same time on a port", async () => {
    await using served = new ServeProgram({ args: ["--socket", "run/pintle.sock", "--listen", "0"] });
    await served.told(/listening on .*run\/pintle\.sock/);
    const local = await LineClient.connect(join(served.root, "run/pintle.sock"));
    local.send('{"id":"1","type":"get_server_state"}');
    const remote = await served.connect();
    expect(await local.next(({ id }) => id === "1")).toMatchObject({ success: true });
    expect(await remote.ask({ type: "get_server_state" })).toMatchObject({ data: { connections: 2 } });
  });

  test("exits with 0 on request, after its runs; meanwhile it accepts no prompts", async () => {
    await using served = new ServeProgram();
    const { url } = await served.address();
    const host = await served.connect();
    const { data } = await host.ask({ type: "open_session" });
    const { sessionId } = data as { sessionId: string };
    const gate = join(served.root, "gate");
    await host.ask({ type: "bash", sessionId, command: "true" });
    await host.ask({
      type: "prompt",
      sessionId,
      message: `run \`while [ ! -e ${gate} ]; do sleep 0.02; done; echo gone\``,
    });
    await host.next(({ type }) => type === "tool_execution_start");
    served.child.kill("SIGTERM");
    for (let status = 200; status !== 503; ) status = (await fetch(`${url}/healthz`)).status;
    expect(await host.ask({ type: "open_session" })).toMatchObject({ success: false, code: "draining" });
    writeFileSync(gate, "");
    expect(await host.closed).toEqual({ code: 1001, reason: "ending" });
    expect(host.frames.map(({ type }) => type)).toContain("agent_end");
    expect(await served.child.exited).toBe(0);
  });

  test("aborts runs that take longer than the drain may", async () => {
    await using served = new ServeProgram({ settings: { "serve.drainMs": 1 } });
    const host = await served.connect();
    const { data } = await host.ask({ type: "open_session" });
    const { sessionId } = data as { sessionId: string };
    await host.ask({ type: "prompt", sessionId, message: "run `sleep 600`" });
    await host.next(({ type }) => type === "tool_execution_start");
    served.child.kill("SIGTERM");
    await host.closed;
    expect(await served.child.exited).toBe(0);
  });

  test("leaves its token to no session", async () => {
    const token = "a-token-of-more-than-thirty-two-characters";
    await using served = new ServeProgram({
      env: { PINTLE_SERVE_TOKEN: token },
      settings: { "env.pass": ["PINTLE_SERVE_TOKEN"] },
    });
    await served.address();
    const host = await served.connect({ authorization: `Bearer ${token}` });
    const { data } = await host.ask({ type: "open_session" });
    const { sessionId } = data as { sessionId: string };
    const shown = await host.ask({ type: "bash", sessionId, command: "env" });
    expect(JSON.stringify(shown)).toContain("PATH=");
    expect(JSON.stringify(shown)).not.toContain(token);
    expect(served.stderr).not.toContain(token);
  });
});

describe("a start that cannot be is refused with code 2", () => {
  test.each([
    [["--listen", "0.0.0.0:0"], "needs --token-file"],
    [["--listen", "nonsense:x"], "--listen takes HOST:PORT"],
    [["--token-file", "absent"], "the token file cannot be read"],
    [["--public-host", "http://x/"], "--public-host takes a name"],
    [["--socket", "/tmp/pintle.sock"], isRoot ? "is open to other users" : "/tmp belongs to another user"],
    [["--set", "serve.maxWorkers=0"], "serve.maxWorkers must be"],
    [["word"], "takes no arguments"],
    [["--root", "absent"], "absent is not a directory, so"],
  ])("%p", async (args, text) => {
    await using served = new ServeProgram({ args });
    expect(await served.child.exited).toBe(2);
    await served.told(new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")));
  });

  test("a token file that others can read", async () => {
    await using first = new ServeProgram();
    const file = join(first.root, "token");
    writeFileSync(file, "x".repeat(40));
    chmodSync(file, 0o644);
    await using served = new ServeProgram({ args: ["--token-file", file] });
    expect(await served.child.exited).toBe(2);
    await served.told(/can be read by other users \(mode 644\)/);
  });
});
