import { describe, expect, test } from "bun:test";
import { scriptedModelInfo } from "@pintle/ai/testing";
import { SERVER_CAPABILITIES } from "@pintle/wire";
import { SessionError } from "../../../../storage/src/session-error.ts";
import { settle } from "../../support/modes/frames/fake-timers.ts";
import { StreamedMessage } from "../../support/modes/frames/streamed-message.ts";
import { connect, FakeHost } from "../../support/modes/rpc/fake-host.ts";
import { FakeSession } from "../../support/modes/rpc/fake-session.ts";

const READY = {
  type: "ready",
  version: "1.2.3",
  protocolVersion: 1,
  supportedProtocolVersions: [1],
  sessionId: "session-1",
  trust: "none",
  sandbox: { mode: "off", strength: "unknown" },
  capabilities: Object.keys(SERVER_CAPABILITIES),
};

const ok = (command: string, id?: unknown) => ({
  ...(id !== undefined && { id }),
  type: "response",
  command,
  success: true,
});
const parseFailure = (reason: string, more = {}) => ({
  type: "response",
  command: "parse",
  success: false,
  error: `Failed to parse command: ${reason}`,
  ...more,
});

describe("start", () => {
  test("ready is the first line", async () => {
    const host = new FakeHost(new FakeSession());
    await settle();
    expect(host.frames()).toEqual([READY]);
  });

  test("lines that arrive while the session is built are handled after ready", async () => {
    const pending = Promise.withResolvers<FakeSession>();
    const host = new FakeHost(pending.promise);
    await host.send({ id: "1", type: "prompt", message: "early" }, "garbage");
    await host.write('{"id":"2","type":"nonsense"}'); // not complete yet
    expect(host.frames()).toEqual([]);
    pending.resolve(new FakeSession());
    await settle();
    expect(host.frames()).toEqual([READY, ok("prompt", "1"), expect.objectContaining({ command: "parse" })]);
    await host.write("\n");
    expect(host.frames()).toMatchObject([{ command: "nonsense" }]);
  });

  test("answers input that ends before the session is built", async () => {
    const pending = Promise.withResolvers<FakeSession>();
    const host = new FakeHost(pending.promise);
    await host.send({ id: "1", type: "get_messages" });
    await host.close();
    pending.resolve(new FakeSession());
    expect(await host.exitCode).toBe(0);
    expect(host.frames()).toEqual([READY, { ...ok("get_messages", "1"), data: { messages: [] } }]);
  });

  test("writes nothing without a session", async () => {
    const host = new FakeHost(Promise.reject(new Error("no models")));
    await expect(host.exitCode).rejects.toThrow("no models");
    expect(host.frames()).toEqual([]);
  });
});

describe("prompt", () => {
  test("is acknowledged before its events", async () => {
    const { host, session } = await connect();
    await host.send({ id: "p", type: "prompt", message: "hi", images: null });
    expect(host.frames()).toEqual([ok("prompt", "p")]);
    session.startRun();
    session.endRun();
    await settle();
    expect(session.prompts).toEqual([{ text: "hi", source: "rpc" }]);
    expect(host.frames()).toEqual([
      { type: "agent_start" },
      { type: "agent_end", messages: [], stopReason: "stop" },
      { type: "agent_settled", aborted: false },
      {
        type: "prompt_result",
        id: "p",
        agentInvoked: true,
        status: "completed",
        sessionId: "fake",
        sessionSettled: true,
      },
    ]);
  });

  test("has a result when its run is over, even if it joined one", async () => {
    const { host, session } = await connect();
    await host.send({ id: 1, type: "prompt", message: "first" });
    session.startRun();
    await host.send({ id: 2, type: "prompt", message: "also", streamingBehavior: "followUp" });
    host.frames();
    session.endRun("aborted");
    const result = {
      type: "prompt_result",
      agentInvoked: true,
      status: "aborted",
      sessionId: "fake",
      sessionSettled: true,
    };
    expect(host.frames()).toEqual([
      { type: "agent_end", messages: [], stopReason: "aborted" },
      { type: "agent_settled", aborted: false },
      { ...result, id: 1 },
      { ...result, id: 2 },
    ]);
    session.startRun(); // of an extension; it belongs to none of the host's prompts
    session.endRun();
    expect(host.frames().map(({ type }) => type)).toEqual(["agent_start", "agent_end", "agent_settled"]);
  });

  test("does not receive the result of an earlier run that it waits for", async () => {
    const { host, session } = await connect();
    await host.send({ id: 1, type: "prompt", message: "first" });
    session.startRun();
    session.isStreaming = false;
    session.emit({ type: "agent_end", messages: [], stopReason: "stop" });
    await host.send({ id: 2, type: "prompt", message: "second" });
    host.frames();
    session.emit({ type: "agent_settled", aborted: false });
    expect(host.frames()).toEqual([
      { type: "agent_settled", aborted: false },
      expect.objectContaining({ type: "prompt_result", id: 1 }),
    ]);
    session.startRun();
    session.endRun();
    expect(host.frames()).toContainEqual(expect.objectContaining({ type: "prompt_result", id: 2 }));
  });

  test("is acknowledged before an event that its acceptance emits synchronously", async () => {
    const { host, session } = await connect();
    await host.send({ type: "prompt", message: "first" });
    session.startRun();
    host.frames();
    await host.send({ id: 2, type: "prompt", message: "more", streamingBehavior: "steer" });
    expect(host.frames()).toEqual([ok("prompt", 2), { type: "queue_update", steering: ["more"], followUp: [] }]);
  });

  test("during a run fails once, without an acknowledgement", async () => {
    const { host, session } = await connect();
    await host.send({ id: "a", type: "prompt", message: "one" }, { id: "b", type: "prompt", message: "two" });
    expect(host.frames()).toEqual([
      ok("prompt", "a"),
      {
        id: "b",
        type: "response",
        command: "prompt",
        success: false,
        error: "Agent is already processing. Use steer() or followUp() to queue messages, or wait for completion.",
        code: "busy",
      },
    ]);
    expect(session.prompts).toEqual([{ text: "one", source: "rpc" }]);
  });

  test("fails late under the same id if it never becomes a run", async () => {
    const { host, session } = await connect();
    await host.send({ id: "p", type: "prompt", message: "hi" });
    session.refuseRun(new SessionError("no_credentials", "No API key found for test."));
    await settle();
    expect(host.frames()).toEqual([
      ok("prompt", "p"),
      {
        id: "p",
        type: "response",
        command: "prompt",
        success: false,
        error: "No API key found for test.",
        code: "no_credentials",
      },
    ]);
    expect(host.bugs).toEqual([]);
  });

  test("is answered under its id even if a bug makes it fail late", async () => {
    const { host, session } = await connect();
    const bug = new TypeError("x is undefined");
    await host.send({ id: "p", type: "prompt", message: "hi" });
    session.refuseRun(bug);
    await settle();
    expect(host.frames()).toEqual([
      ok("prompt", "p"),
      { id: "p", type: "response", command: "prompt", success: false, error: "x is undefined" },
    ]);
    expect(host.bugs).toEqual([bug]);
  });

  test("has one response and no effect if it is invalid", async () => {
    const { host, session } = await connect();
    await host.send({ id: "p", type: "prompt", message: 7 });
    expect(host.frames()).toEqual([
      {
        id: "p",
        type: "response",
        command: "prompt",
        success: false,
        error: "Invalid prompt: message must be a string",
        code: "invalid_request",
      },
    ]);
    expect(session.prompts).toEqual([]);
  });
});

describe("abort", () => {
  test("is answered after the run's last event", async () => {
    const { host, session } = await connect();
    await host.send({ type: "prompt", message: "hi" });
    session.startRun();
    host.frames();
    await host.send({ id: "x", type: "abort" });
    expect(host.frames()).toEqual([
      { type: "agent_end", messages: [], stopReason: "aborted" },
      { type: "agent_settled", aborted: false },
      { type: "prompt_result", agentInvoked: true, status: "aborted", sessionId: "fake", sessionSettled: true },
      ok("abort", "x"),
    ]);
  });

  test("succeeds immediately when there is nothing to abort", async () => {
    const { host } = await connect();
    await host.send({ type: "abort" }, { type: "abort" });
    expect(host.frames()).toEqual([ok("abort"), ok("abort")]);
  });
});

describe("reading", () => {
  test("get_state has every required key", async () => {
    const { host, session } = await connect();
    session.model = { ...scriptedModelInfo, headers: { authorization: "secret" } };
    await host.send({ id: "s", type: "get_state" });
    expect(host.frames()).toEqual([
      {
        ...ok("get_state", "s"),
        data: {
          model: scriptedModelInfo,
          thinkingLevel: "off",
          isStreaming: false,
          isSettled: false,
          isCompacting: false,
          undo: { coverage: "off", checkpoints: 0, canUndo: false, canRedo: false },
          steeringMode: "one-at-a-time",
          followUpMode: "one-at-a-time",
          interruptMode: "wait",
          sessionId: "session-1",
          autoCompactionEnabled: true,
          messageCount: 0,
          queuedMessageCount: 0,
          pendingMessageCount: 0,
          permissionMode: "full",
          queue: { steering: [], followUp: [], steeringIds: [], followUpIds: [] },
          todoPhases: [],
          sandbox: { mode: "off", strength: "unknown" },
          systemPrompt: "Be brief.",
          dumpTools: [],
        },
      },
    ]);
  });

  test("get_state with brief leaves out the prompt and the tools and reduces the model", async () => {
    const { host } = await connect();
    await host.send({ type: "get_state" }, { type: "get_state", brief: true }, { type: "get_state", brief: "yes" });
    const [full, brief, refused] = host.frames();
    const { systemPrompt, dumpTools, model, ...rest } = full.data;
    expect(brief.data).toEqual({ ...rest, model: { provider: model.provider, id: model.id } });
    expect(refused).toMatchObject({ success: false, error: "Invalid get_state: brief must be a boolean" });
  });

  test("get_state shows the run and the queue", async () => {
    const { host, session } = await connect();
    session.queue.steer({ role: "user", content: "later", timestamp: 1 });
    await host.send({ type: "prompt", message: "hi" }, { type: "get_state" });
    const { data } = host.frames()[1];
    expect(data).toMatchObject({ isStreaming: true, queuedMessageCount: 1, pendingMessageCount: 1 });
  });

  test("get_messages returns the conversation", async () => {
    const { host, session } = await connect();
    session.messages = [{ role: "user", content: [{ type: "text", text: "a\u2028b" }], timestamp: 1 }];
    await host.send({ type: "get_messages" });
    expect(host.sink.text).not.toContain("\u2028");
    expect(host.frames()).toEqual([{ ...ok("get_messages"), data: { messages: session.messages } }]);
  });
});

describe("invalid lines", () => {
  test("are each answered, and the next line is read", async () => {
    const { host } = await connect();
    await host.send("{nope", "3", "null", "[]", '"text"', "{}", '{"type":7,"id":"q"}', "", "   ", { type: "abort" });
    const frames = host.frames();
    expect(frames[0]).toEqual(parseFailure("x", { error: expect.stringMatching(/^Failed to parse command: ./) }));
    expect(frames.slice(1)).toEqual([
      parseFailure("expected a JSON object"),
      parseFailure("expected a JSON object"),
      parseFailure("expected a JSON object"),
      parseFailure("expected a JSON object"),
      parseFailure('missing "type"'),
      parseFailure('missing "type"', { requestId: "q" }),
      ok("abort"),
    ]);
  });

  test("with an unknown command are answered without id, but with requestId", async () => {
    const { host } = await connect();
    const names = ["fly", "toString", "__proto__", "constructor", ""];
    await host.send(...names.map((type) => `{"id":"u","type":${JSON.stringify(type)}}`), { type: "fly" });
    const unknown = (command: string) => ({
      type: "response",
      command,
      success: false,
      error: `Unknown command: ${command}`,
    });
    expect(host.frames()).toEqual([...names.map((name) => ({ ...unknown(name), requestId: "u" })), unknown("fly")]);
  });

  test("that answer no question have no effect and cause one notice", async () => {
    const { host } = await connect();
    const types = ["extension_ui_response", "host_tool_result", "host_tool_update", "trust_response"];
    await host.send(...types.map((type) => ({ type, id: "1" })));
    expect(host.frames()).toMatchObject([{ type: "notice", source: "host", code: "unknown_question", requestId: "1" }]);
  });

  test("CRLF, pipelining and split lines make no difference", async () => {
    const { host } = await connect();
    await host.write('{"id":1,"type":"ab');
    await host.write('ort"}\r\n{"id":2,"type":"abort"}\r\n{"id":3,"type":"abort"}');
    expect(host.frames()).toEqual([ok("abort", 1), ok("abort", 2)]);
    await host.write("\n");
    expect(host.frames()).toEqual([ok("abort", 3)]);
  });
});

describe("ids", () => {
  test("repeats strings and finite numbers, allows duplicates, and returns other types as JSON text", async () => {
    const { host } = await connect();
    const ids = ['"a"', '"a"', '""', "0", "-1.5", "null", "true", "{}", "[1]", "1e999"];
    await host.send(...ids.map((id) => `{"id":${id},"type":"abort"}`));
    expect(host.frames().filter(({ type }) => type === "response")).toEqual([
      ok("abort", "a"),
      ok("abort", "a"),
      ok("abort", ""),
      ok("abort", 0),
      ok("abort", -1.5),
      ok("abort"),
      ...["true", "{}", "[1]", "null"].map((requestId) => ({ ...ok("abort"), requestId })),
    ]);
  });

  test("reports a bug in a handler as a failure of its command", async () => {
    const { host, session } = await connect();
    const bug = new TypeError("broken");
    Object.defineProperty(session, "messages", {
      get: () => {
        throw bug;
      },
    });
    await host.send({ id: "m", type: "get_messages" }, { id: 5, type: "abort" });
    expect(host.frames()).toEqual([
      { id: "m", type: "response", command: "get_messages", success: false, error: "broken" },
      ok("abort", 5),
    ]);
    expect(host.bugs).toEqual([bug]);
  });
});

describe("end of input", () => {
  test("exits with 0 and closes the session", async () => {
    const { host, session } = await connect();
    await host.close();
    expect(await host.exitCode).toBe(0);
    expect(session.disposals).toBe(1);
    expect(host.frames()).toEqual([]);
    expect(host.timers.pendingCount).toBe(0);
  });

  test("aborts a run and still writes its closing events", async () => {
    const { host, session } = await connect();
    await host.send({ id: 1, type: "prompt", message: "hi" });
    session.startRun();
    host.frames();
    await host.close();
    expect(await host.exitCode).toBe(0);
    expect(host.frames()).toEqual([
      { type: "agent_end", messages: [], stopReason: "aborted" },
      { type: "agent_settled", aborted: false },
      { type: "prompt_result", id: 1, agentInvoked: true, status: "aborted", sessionId: "fake", sessionSettled: true },
    ]);
  });

  test("accepts a last line without LF", async () => {
    const { host } = await connect();
    await host.write('{"id":1,"type":"abort"}');
    await host.close();
    expect(await host.exitCode).toBe(0);
    expect(host.frames()).toEqual([ok("abort", 1)]);
  });

  test("answers an incomplete last line with command parse", async () => {
    const { host } = await connect();
    await host.write('{"id":1,"type":"abo');
    await host.close();
    expect(await host.exitCode).toBe(0);
    expect(host.frames()).toMatchObject([{ command: "parse", success: false }]);
  });

  test("includes a broken stream", async () => {
    const { host } = await connect();
    await host.breakStdin();
    expect(await host.exitCode).toBe(0);
  });

  test("waits up to 5 s for accepted commands", async () => {
    const { host, session } = await connect();
    await host.send({ type: "prompt", message: "hi" });
    session.startRun();
    session.abortNeverEnds = true;
    await host.close();
    await host.advance(4_999);
    expect([await host.state(), session.disposals]).toEqual(["running", 0]);
    await host.advance(1);
    expect(session.disposals).toBe(1);
    await host.advance(250); // time for work that the end of the session cancelled
    expect([await host.state(), session.disposals]).toEqual([0, 1]);
    expect(host.timers.pendingCount).toBe(0);
  });

  test("does not wait for a reader that has stopped reading", async () => {
    const { host, session } = await connect();
    host.sink.block();
    session.emit({ type: "turn_start" });
    await host.close();
    await host.advance(4_999);
    expect(await host.state()).toBe("running");
    await host.advance(1);
    expect(await host.state()).toBe(1);
  });

  test("keeps the exit code when a session cannot be closed", async () => {
    const { host, session } = await connect();
    session.disposeError = new Error("disk full");
    await host.close();
    expect(await host.exitCode).toBe(0);
    expect(host.bugs).toEqual([session.disposeError]);
  });
});

describe("a signal", () => {
  test("has the same effect as the end of input", async () => {
    const { host, session } = await connect();
    await host.send({ type: "prompt", message: "hi" });
    session.startRun();
    host.frames();
    host.signal.abort("SIGTERM");
    expect(await host.exitCode).toBe(0);
    expect(host.frames().map((frame) => frame.type)).toEqual(["agent_end", "agent_settled", "prompt_result"]);
  });

  test("limits the shutdown to 0.8 s, even after the end of input", async () => {
    const { host, session } = await connect();
    await host.send({ type: "prompt", message: "hi" });
    session.startRun();
    session.abortNeverEnds = true;
    host.sink.block();
    session.emit({ type: "turn_start" });
    await host.close();
    host.signal.abort("SIGTERM");
    await host.advance(400);
    expect(session.disposals).toBe(1);
    await host.advance(399);
    expect(await host.state()).toBe("running");
    await host.advance(1);
    expect(await host.state()).toBe(1);
  });
});

describe("the reader of stdout", () => {
  test("receives merged updates and everything else if it is slow", async () => {
    const { host, session } = await connect();
    const answer = new StreamedMessage();
    host.sink.block();
    session.emit({ type: "message_start", message: answer.message }, answer.startText());
    for (const delta of ["a", "b", "c"]) session.emit(answer.text(delta));
    await host.send({ id: 1, type: "abort" });
    for (const delta of ["d", "e"]) session.emit(answer.text(delta));
    session.emit(answer.endText());
    host.sink.unblock();
    await settle();
    const shown = host
      .frames()
      .map((frame) => frame.assistantMessageEvent?.delta ?? frame.assistantMessageEvent?.type ?? frame.type);
    expect(shown).toEqual(["message_start", "text_start", "abc", "response", "de", "text_end"]);
  });

  test("blocks the session only above 64 MiB", async () => {
    const { host, session } = await connect();
    host.sink.block();
    session.emit({ type: "notice", level: "info", message: "x".repeat(65 * 1024 * 1024) });
    const waiting = session.ready();
    expect(waiting).toBeInstanceOf(Promise);
    host.sink.unblock();
    await waiting;
    expect(session.ready()).toBeUndefined();
  });

  test("ends the process with 1 when it disconnects", async () => {
    const { host, session } = await connect();
    await host.send({ type: "prompt", message: "hi" });
    host.sink.lose();
    session.startRun();
    expect(await host.exitCode).toBe(1);
    expect([session.isStreaming, session.disposals]).toEqual([false, 1]);
  });
});
