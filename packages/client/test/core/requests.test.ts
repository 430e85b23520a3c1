import { describe, expect, test } from "bun:test";
import { RpcClosedError, RpcCommandError, RpcConflictError, RpcCore, RpcTimeoutError } from "../../src/core/index.ts";
import { agentEnd, connected, READY, ScriptedServer, SETTLED, START } from "../support/scripted-server.ts";

const state = { sessionId: "s" };

describe("responses", () => {
  test("are matched by id, in any order", async () => {
    const { client, server } = await connected();
    const first = client.bash("one");
    const second = client.bash("two");
    const [a, b] = server.received.map(({ id }) => id);
    const answer = (id: string, output: string) => ({
      type: "response",
      id,
      command: "bash",
      success: true,
      data: { output },
    });
    server.say(answer(b, "2"), answer(a, "1"), answer(a, "again"));
    expect([await first, await second].map(({ output }) => output)).toEqual(["1", "2"]);
  });

  test("every method rejects with the server's failure, even those without data", async () => {
    const { client, server } = await connected();
    const failing = client.setSessionName("");
    server.say(server.fail("set_session_name", "Session name cannot be empty", "invalid_request"));
    const error = await failing.catch((thrown) => thrown);
    expect(error).toBeInstanceOf(RpcCommandError);
    expect(error).toMatchObject({
      command: "set_session_name",
      error: "Session name cannot be empty",
      code: "invalid_request",
    });
  });

  test("a conflict is an error of its own class", async () => {
    const { client, server } = await connected();
    const failing = client.rewindFiles();
    server.say(server.fail("rewind_files", "Cannot rewind a.ts", "conflict"));
    const error = await failing.catch((thrown) => thrown);
    expect(error).toBeInstanceOf(RpcCommandError);
    expect(error).toBeInstanceOf(RpcConflictError);
    expect(error).toMatchObject({
      name: "RpcConflictError",
      message: "rewind_files: Cannot rewind a.ts",
      command: "rewind_files",
      code: "conflict",
    });
  });

  test("may be null", async () => {
    const { client, server } = await connected();
    const cycled = client.cycleModel();
    server.say(server.ok("cycle_model", null));
    expect(await cycled).toBeNull();
  });
});

describe("failures without an id", () => {
  const failure = (fields: object) => ({ type: "response", success: false, error: "no", ...fields });

  async function threePending() {
    const { client, server } = await connected();
    const faults: string[] = [];
    client.onProtocolError((fault) => faults.push(fault.message));
    const outcomes: Record<string, string> = {};
    const calls = { one: client.getState(), two: client.getMessages(), three: client.getMessages() };
    for (const [name, call] of Object.entries(calls)) {
      call.then(
        () => (outcomes[name] = "ok"),
        (error) => (outcomes[name] = error.message),
      );
    }
    return { client, server, faults, outcomes };
  }

  test("are matched by `requestId`", async () => {
    const { server, outcomes, faults } = await threePending();
    server.say(failure({ command: "parse", requestId: "req_3" }));
    await Promise.resolve();
    expect(outcomes).toEqual({ three: "parse: no" });
    expect(faults).toEqual([]);
  });

  test("otherwise go to the only request of that command", async () => {
    const { server, outcomes, faults } = await threePending();
    server.say(failure({ command: "get_state" }));
    await Promise.resolve();
    expect(outcomes).toEqual({ one: "get_state: no" });
    expect(faults).toEqual([]);
  });

  test("with `parse` go to the only request there is", async () => {
    const { client, server } = await connected();
    const only = client.getState();
    server.say(failure({ command: "parse" }));
    await expect(only).rejects.toThrow("parse: no");
  });

  test("otherwise are reported, and no request fails", async () => {
    const { server, outcomes, faults } = await threePending();
    server.say(failure({ command: "get_messages" }), failure({ command: "parse" }));
    await Promise.resolve();
    expect(outcomes).toEqual({});
    expect(faults).toEqual(["A failure (no) matches no request", "A failure (no) matches no request"]);
  });
});

describe("timeouts", () => {
  test("a request without a response times out, and its late response is dropped", async () => {
    const { client, server } = await connected({ requestTimeoutMs: 5 });
    const faults: unknown[] = [];
    client.onProtocolError((fault) => faults.push(fault));
    const late = client.getState();
    await expect(late).rejects.toBeInstanceOf(RpcTimeoutError);
    server.say(server.ok("get_state", state));
    const next = client.getState({ timeoutMs: 60_000 });
    server.say(server.ok("get_state", state));
    expect(await next).toEqual(state as never);
    expect(faults).toEqual([]);
  });

  test.each(["bash", "compact", "newSession", "switchSession", "branch", "exportHtml"] as const)(
    "%s has none, unless one is given",
    async (method) => {
      const { client, server } = await connected({ requestTimeoutMs: 1 });
      const call = client[method] as (...args: unknown[]) => Promise<unknown>;
      const unlimited = method === "bash" ? call.call(client, "x") : call.call(client);
      const limited = client.bash("y", { timeoutMs: 2 });
      await expect(limited).rejects.toBeInstanceOf(RpcTimeoutError);
      const { type } = server.received[0]!;
      server.say({ type: "response", id: "req_1", command: type, success: true, data: {} });
      expect(await unlimited).toEqual({});
    },
  );

  test("a command queued after a long one does not time out before that has ended", async () => {
    const { client, server } = await connected({ requestTimeoutMs: 3 });
    const long = client.compact();
    const behind = client.getMessages();
    const impatient = client.getSessionStats({ timeoutMs: 15 });
    await expect(impatient).rejects.toBeInstanceOf(RpcTimeoutError);
    server.say(server.ok("compact", {}));
    await long;
    await expect(behind).rejects.toBeInstanceOf(RpcTimeoutError);
  });

  test("one before a long command, or after a detached one, does", async () => {
    const { client, server } = await connected({ requestTimeoutMs: 3 });
    const before = client.getMessages();
    const long = client.compact();
    await expect(before).rejects.toBeInstanceOf(RpcTimeoutError);
    server.say(server.ok("compact", {}));
    await long;
    const beside = client.bash("sleep 100");
    await expect(client.getMessages()).rejects.toBeInstanceOf(RpcTimeoutError);
    server.say(server.ok("bash", {}));
    await beside;
  });

  test("a timeout too long for a timer means none", async () => {
    const { client, server } = await connected();
    const call = client.getState({ timeoutMs: 2 ** 40 });
    await new Promise((resolve) => setTimeout(resolve, 5));
    server.say(server.ok("get_state", state));
    expect(await call).toEqual(state as never);
  });

  test("a signal rejects with its reason; one already aborted sends nothing", async () => {
    const { client, server } = await connected();
    const controller = new AbortController();
    const call = client.getState({ signal: controller.signal });
    controller.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
    await expect(client.getMessages({ signal: controller.signal })).rejects.toThrow("enough");
    expect(server.received.map(({ type }) => type)).toEqual(["get_state"]);
  });

  test("a queued frame is dropped together with its request", async () => {
    const { client, server } = await connected();
    let makeRoom = () => {};
    server.full = new Promise((resolve) => {
      makeRoom = resolve;
    });
    const controller = new AbortController();
    const calls = [client.getState(), client.getMessages({ signal: controller.signal }), client.getTree()];
    controller.abort();
    server.full = undefined;
    makeRoom();
    await expect(calls[1]).rejects.toThrow();
    expect(server.received.map(({ type }) => type)).toEqual(["get_state", "get_tree"]);
    client.disconnect();
    await Promise.allSettled(calls);
  });

  test("a value that is not JSON rejects", async () => {
    const { client } = await connected();
    await expect(client.request({ type: "x", value: 1n })).rejects.toThrow();
  });
});

describe("the connection", () => {
  test("can be opened once at a time, and again after it was closed", async () => {
    const { client } = await connected();
    await expect(client.connect(new ScriptedServer().transport)).rejects.toThrow("Client already started");
    client.disconnect();
    await expect(client.getState()).rejects.toBeInstanceOf(RpcClosedError);
    const server = new ScriptedServer();
    const again = client.connect(server.transport);
    server.say(READY);
    expect(await again).toMatchObject({ type: "ready" });
  });

  test("a failed start does not end the next one", async () => {
    const client = new RpcCore();
    const first = client.connect(new ScriptedServer().transport);
    client.disconnect();
    const server = new ScriptedServer();
    const second = client.connect(server.transport);
    await expect(first).rejects.toBeInstanceOf(RpcClosedError);
    server.say(READY);
    expect(await second).toMatchObject({ type: "ready" });
    const call = client.getState();
    server.say(server.ok("get_state", state));
    expect(await call).toEqual(state as never);
  });

  test("rejects everything that is waiting with the reason when it ends", async () => {
    const { client, server } = await connected();
    const run = client.run("x");
    const events = client.events();
    const waiting = [
      client.getState(),
      client.waitForIdle(),
      client.collectEvents(),
      client.promptAndWait("y"),
      run.result,
      run[Symbol.asyncIterator]().next(),
      events.next(),
    ];
    server.close(new Error("gone"));
    const outcomes = await Promise.allSettled(waiting);
    expect(outcomes.map((outcome) => outcome.status === "rejected" && outcome.reason.message)).toEqual(
      waiting.map(() => "gone"),
    );
  });

  test("times out if the server sends nothing", async () => {
    const client = new RpcCore({ readyTimeoutMs: 5 });
    await expect(client.connect(new ScriptedServer().transport)).rejects.toBeInstanceOf(RpcTimeoutError);
    await expect(client.getState()).rejects.toBeInstanceOf(RpcClosedError);
  });

  test("ignores data of an old transport", async () => {
    const { client, server: old } = await connected();
    client.disconnect();
    const server = new ScriptedServer();
    const started = client.connect(server.transport);
    server.say(READY);
    await started;
    const seen: string[] = [];
    client.onEvent(({ type }) => seen.push(type));
    old.say({ type: "agent_start" });
    old.close(new Error("old"));
    const call = client.getState();
    server.say({ type: "agent_settled" }, server.ok("get_state", state));
    expect(await call).toEqual(state as never);
    expect(seen).toEqual(["agent_settled"]);
  });
});

test.each([
  [[1, 2], true],
  [undefined, true],
  [[2, 3], false],
])("a server that speaks the versions %p", async (supportedProtocolVersions, isGood) => {
  const client = new RpcCore();
  const server = new ScriptedServer();
  const started = client.connect(server.transport);
  server.say({ ...READY, supportedProtocolVersions });
  if (isGood) expect(await started).toMatchObject({ type: "ready" });
  else await expect(started).rejects.toThrow("The server speaks version 2, 3 of the protocol");
});

test("never sends a frame that is not JSON, and keeps nothing of it", async () => {
  const { client, server } = await connected();
  const faults: string[] = [];
  client.onProtocolError(({ message }) => faults.push(message));
  for (const type of ["compact", "prompt"]) {
    await expect(client.request({ type, message: 1n })).rejects.toBeInstanceOf(TypeError);
    server.say({ type: "response", command: type, success: false, error: "no" });
  }
  expect(faults).toEqual(["A failure (no) matches no request", "A failure (no) matches no request"]);
  expect(client.isIdle).toBe(true);
  expect(server.received).toEqual([]);
});

test("handles a response that arrives during the write", async () => {
  let say = (_text: string) => {};
  const client = new RpcCore();
  const started = client.connect({
    write(text) {
      const { id, type } = JSON.parse(text);
      const answer = { type: "response", id, command: type, success: true };
      for (const frame of [answer, START, agentEnd("at once"), SETTLED]) say(`${JSON.stringify(frame)}\n`);
    },
    onData(listener) {
      say = listener;
      say(`${JSON.stringify(READY)}\n`);
    },
    onClose() {},
  });
  await started;
  expect((await client.promptAndWait("x")).text).toBe("at once");
  expect(client.isIdle).toBe(true);
});

describe("bad lines", () => {
  test("are reported and skipped", async () => {
    const { client, server } = await connected();
    const faults: { message: string; line?: string }[] = [];
    client.onProtocolError((fault) => faults.push(fault));
    const call = client.getState();
    server.sayRaw('garbage\n3\nnull\n[]\n{"type":5}\n{"type":"message_start"}\n{"type":"message_update"}\n');
    server.say(server.ok("get_state", state));
    expect(await call).toEqual(state as never);
    expect(faults.map(({ message }) => message.replace(/:.*/, ""))).toEqual([
      "A line could not be processed",
      "A line is not a frame",
      "A line is not a frame",
      "A line is not a frame",
      "A line is not a frame",
      "A line could not be processed",
      "A line could not be processed",
    ]);
    expect(faults[0]).toMatchObject({ line: "garbage" });
    server.sayRaw(`${"x".repeat(5000)}\n`);
    expect(faults.at(-1)?.line).toHaveLength(200);
  });

  test("an event of an unknown type is delivered", async () => {
    const { client, server } = await connected();
    const seen: unknown[] = [];
    client.onEvent((event) => seen.push(event));
    server.say({ type: "constructor", value: 1 });
    expect(seen).toEqual([{ type: "constructor", value: 1 }]);
  });
});

describe("listeners", () => {
  test("that throw stop neither the others nor reading", async () => {
    const { client, server } = await connected();
    const seen: string[] = [];
    const faults: string[] = [];
    client.onProtocolError(({ message }) => {
      faults.push(message);
    });
    client.on("agent_start", () => {
      throw new Error("oops");
    });
    client.on("agent_start", ({ type }) => seen.push(type));
    client.onEvent(({ type }) => seen.push(`all ${type}`));
    server.say({ type: "agent_start" }, { type: "agent_settled" });
    expect(seen).toEqual(["all agent_start", "agent_start", "all agent_settled"]);
    expect(faults).toEqual(["A listener for agent_start has thrown: oops"]);
  });

  test("are removed with the function they return", async () => {
    const { client, server } = await connected();
    const seen: string[] = [];
    const listener = ({ type }: { type: string }) => seen.push(type);
    const stops = [client.onEvent(listener), client.onEvent(listener), client.on("agent_start", listener)];
    stops[1]?.();
    stops[2]?.();
    server.say({ type: "agent_start" });
    expect(seen).toEqual(["agent_start"]);
  });

  test("may disconnect in the middle of a chunk; the rest of it is ignored", async () => {
    const { client, server } = await connected();
    const seen: string[] = [];
    client.onEvent(({ type }) => {
      seen.push(type);
      client.disconnect();
    });
    server.say({ type: "agent_start" }, { type: "agent_settled" });
    expect(seen).toEqual(["agent_start"]);
  });
});
