import { describe, expect, test } from "bun:test";
import { RpcClosedError, RpcCommandError, RpcCore, RpcTimeoutError } from "../../src/core/index.ts";
import { agentEnd, connected, READY, ScriptedServer, SETTLED, START } from "../support/scripted-server.ts";

const state = { sessionId: "s" };

describe("answers", () => {
  test("belong to the id, in whatever order they come", async () => {
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

  test("every method rejects with the server's failure, also those without data", async () => {
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

  test("null is an answer", async () => {
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

  test("`requestId` tells whose it is", async () => {
    const { server, outcomes, faults } = await threePending();
    server.say(failure({ command: "parse", requestId: "req_3" }));
    await Promise.resolve();
    expect(outcomes).toEqual({ three: "parse: no" });
    expect(faults).toEqual([]);
  });

  test("else the only request of that command", async () => {
    const { server, outcomes, faults } = await threePending();
    server.say(failure({ command: "get_state" }));
    await Promise.resolve();
    expect(outcomes).toEqual({ one: "get_state: no" });
    expect(faults).toEqual([]);
  });

  test("a `parse` failure the only request there is", async () => {
    const { client, server } = await connected();
    const only = client.getState();
    server.say(failure({ command: "parse" }));
    await expect(only).rejects.toThrow("parse: no");
  });

  test("else it is reported, and nobody fails", async () => {
    const { server, outcomes, faults } = await threePending();
    server.say(failure({ command: "get_messages" }), failure({ command: "parse" }));
    await Promise.resolve();
    expect(outcomes).toEqual({});
    expect(faults).toEqual(["A failure (no) belongs to no request", "A failure (no) belongs to no request"]);
  });
});

describe("limits", () => {
  test("a request without an answer ends, and its late answer is dropped", async () => {
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

  test("a command behind a long one has time until that is over", async () => {
    const { client, server } = await connected({ requestTimeoutMs: 3 });
    const long = client.compact();
    const behind = client.getMessages();
    const impatient = client.getSessionStats({ timeoutMs: 15 });
    await expect(impatient).rejects.toBeInstanceOf(RpcTimeoutError);
    server.say(server.ok("compact", {}));
    await long;
    await expect(behind).rejects.toBeInstanceOf(RpcTimeoutError);
  });

  test("one before a long one, or behind a command that runs beside the others, has not", async () => {
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

  test("a limit that no timer can hold is none", async () => {
    const { client, server } = await connected();
    const call = client.getState({ timeoutMs: 2 ** 40 });
    await new Promise((resolve) => setTimeout(resolve, 5));
    server.say(server.ok("get_state", state));
    expect(await call).toEqual(state as never);
  });

  test("a signal ends the waiting with its reason; one that has fired sends nothing", async () => {
    const { client, server } = await connected();
    const controller = new AbortController();
    const call = client.getState({ signal: controller.signal });
    controller.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
    await expect(client.getMessages({ signal: controller.signal })).rejects.toThrow("enough");
    expect(server.received.map(({ type }) => type)).toEqual(["get_state"]);
  });

  test("a frame that waits for room leaves with its request", async () => {
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

  test("what cannot be written as JSON rejects", async () => {
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

  test("a failed start does not end the one that follows it", async () => {
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

  test("its end rejects everything that waits, with the reason", async () => {
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

  test("a server that says nothing is given up", async () => {
    const client = new RpcCore({ readyTimeoutMs: 5 });
    await expect(client.connect(new ScriptedServer().transport)).rejects.toBeInstanceOf(RpcTimeoutError);
    await expect(client.getState()).rejects.toBeInstanceOf(RpcClosedError);
  });

  test("what an old transport says is not heard", async () => {
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

test("what is no JSON is never asked, and nothing of it is left", async () => {
  const { client, server } = await connected();
  const faults: string[] = [];
  client.onProtocolError(({ message }) => faults.push(message));
  for (const type of ["compact", "prompt"]) {
    await expect(client.request({ type, message: 1n })).rejects.toBeInstanceOf(TypeError);
    server.say({ type: "response", command: type, success: false, error: "no" });
  }
  expect(faults).toEqual(["A failure (no) belongs to no request", "A failure (no) belongs to no request"]);
  expect(client.isIdle).toBe(true);
  expect(server.received).toEqual([]);
});

test("a server may answer while it is written to", async () => {
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
      "A line cannot be read",
      "A line is no frame",
      "A line is no frame",
      "A line is no frame",
      "A line is no frame",
      "A line cannot be read",
      "A line cannot be read",
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
  test("one that throws stops neither the others nor the reading", async () => {
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

  test("end with the function they got", async () => {
    const { client, server } = await connected();
    const seen: string[] = [];
    const listener = ({ type }: { type: string }) => seen.push(type);
    const stops = [client.onEvent(listener), client.onEvent(listener), client.on("agent_start", listener)];
    stops[1]?.();
    stops[2]?.();
    server.say({ type: "agent_start" });
    expect(seen).toEqual(["agent_start"]);
  });

  test("may disconnect in the middle of a chunk; the rest of it is not heard", async () => {
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
