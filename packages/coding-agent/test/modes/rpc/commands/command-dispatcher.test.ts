import { expect, test } from "bun:test";
import { type CommandRow, commands, type ServerFrame } from "@pintle/wire";
import { Type } from "typebox";
import { SessionError } from "../../../../../storage/src/session-error.ts";
import { Settings } from "../../../../src/config/settings/settings.ts";
import type { Connection } from "../../../../src/modes/rpc/commands/command-call.ts";
import { CommandDispatcher } from "../../../../src/modes/rpc/commands/command-dispatcher.ts";
import { handlers } from "../../../../src/modes/rpc/commands/rpc-commands.ts";
import { HostChannel } from "../../../../src/modes/rpc/host/host-channel.ts";
import type { AgentSession } from "../../../../src/session/agent-session.ts";
import { settle } from "../../../support/modes/frames/fake-timers.ts";
import { FakeSession } from "../../../support/modes/rpc/fake-session.ts";

const mistakes = { isStrict: false, report: () => {} };

function fakeConnection(): Connection {
  const host = new HostChannel({ send: () => {}, settings: Settings.inMemory(), env: {}, mistakes });
  return {
    host,
    setUpdateMode: () => {},
    negotiate: () => 1,
    setEventFilter: () => null,
    streamsBash: () => false,
    promptAnswer: "at-once",
    version: "test",
  };
}

/** The real table plus a long command whose end the test decides. */
function createDispatcher() {
  const session = new FakeSession();
  const frames: ServerFrame[] = [];
  const compaction = Promise.withResolvers<{ summary: string }>();
  const compact: CommandRow = {
    summary: "",
    params: () => Type.Object({}),
    result: () => Type.Object({}),
    lane: "long",
  };
  const dispatcher = new CommandDispatcher<AgentSession>({
    commands: { ...commands, compact } as unknown as Record<string, CommandRow>,
    handlers: { ...handlers, compact: () => compaction.promise },
    session: session.asSession(),
    abort: () => session.abort(),
    send: (frame) => frames.push(frame),
    ready: () => undefined,
    isSettled: () => false,
    results: () => new FakeSession().results,
    connection: fakeConnection(),
    mistakes,
    reportBug: () => {},
  });
  session.subscribe((event) => dispatcher.send(event));
  const send = (...commandFrames: object[]) => {
    for (const frame of commandFrames) dispatcher.onLine(JSON.stringify(frame));
  };
  const brief = () =>
    frames.map((frame) => {
      if (frame.type !== "response") return frame.type;
      return `${frame.id} ${frame.success ? "ok" : frame.error}`;
    });
  return { session, dispatcher, compaction, send, brief };
}

test("an abort covers a waiting prompt that was received before it, but not a later one", async () => {
  const { session, compaction, send, brief } = createDispatcher();
  send(
    { id: "compact", type: "compact" },
    { id: "first", type: "prompt", message: "one" },
    { id: "abort", type: "abort" },
    { id: "second", type: "prompt", message: "two" },
  );
  await settle();
  expect(brief()).toEqual(["abort ok"]);
  compaction.reject(new SessionError("cancelled", "Compaction cancelled"));
  await settle();
  expect(brief()).toEqual([
    "abort ok",
    "compact Compaction cancelled",
    "first ok",
    "second ok",
    "first Request was aborted",
  ]);
  expect(session.prompts).toEqual([{ text: "two", source: "rpc" }]);
});

test("responses to ordered and long commands keep the order of the requests, including failures", async () => {
  const { compaction, send, brief } = createDispatcher();
  send(
    { id: 1, type: "compact" },
    { id: 2, type: "prompt" },
    { id: 3, type: "get_state" },
    { id: 4, type: "get_messages" },
    { id: 5, type: "prompt", message: "hi" },
  );
  compaction.resolve({ summary: "short" });
  await settle();
  expect(brief()).toEqual(["1 ok", "2 Invalid prompt: message must be a string", "3 ok", "4 ok", "5 ok"]);
});

test("get_state is answered while compact runs", () => {
  const { send, brief } = createDispatcher();
  send({ id: 1, type: "compact" }, { id: 2, type: "get_state" });
  expect(brief()).toEqual(["2 ok"]);
});

test("a late failure never precedes the acceptance it revokes", async () => {
  const accepted = Promise.withResolvers<void>();
  const frames: ServerFrame[] = [];
  const slow: CommandRow = { summary: "", params: () => Type.Object({}), result: () => Type.Void(), lane: "ordered" };
  const dispatcher = new CommandDispatcher<undefined>({
    commands: { slow },
    handlers: {
      slow: (_session, _params, call) => {
        call.failLate(Promise.reject(new SessionError("cancelled", "too late")));
        return accepted.promise;
      },
    },
    session: undefined,
    abort: async () => {},
    ready: () => undefined,
    isSettled: () => false,
    results: () => new FakeSession().results,
    connection: fakeConnection(),
    send: (frame) => frames.push(frame),
    mistakes,
    reportBug: () => {},
  });
  dispatcher.onLine('{"id":1,"type":"slow"}');
  await settle();
  expect(frames).toEqual([]);
  accepted.resolve();
  await settle();
  expect(frames).toEqual([
    { id: 1, type: "response", command: "slow", success: true },
    { id: 1, type: "response", command: "slow", success: false, error: "too late", code: "cancelled" },
  ]);
});

test("settled also waits for late failures", async () => {
  const { session, dispatcher, send, brief } = createDispatcher();
  send({ id: 1, type: "prompt", message: "hi" });
  let isSettled = false;
  const settled = dispatcher.settled().then(() => {
    isSettled = true;
  });
  await settle();
  expect(isSettled).toBe(false);
  session.refuseRun(new SessionError("no_credentials", "No model selected."));
  await settled;
  expect(brief()).toEqual(["1 ok", "1 No model selected."]);
});

test("answers an overlong line with command parse", () => {
  const { dispatcher, brief } = createDispatcher();
  dispatcher.onOverlongLine();
  expect(brief()).toEqual(["undefined Failed to parse command: the line is longer than 256 MiB"]);
});
