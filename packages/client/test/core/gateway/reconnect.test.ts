import { describe, expect, test } from "bun:test";
import { Conversation, RpcRefusedError } from "../../../src/core/index.ts";
import { cursor, opened, STATE, snapshot } from "../../support/scripted-gateway.ts";
import { agentEnd, assistant, SETTLED, START } from "../../support/scripted-server.ts";

const RUNNING = { ...STATE, isStreaming: true, isSettled: false };

test("a lost connection is made again, and the session goes on from its cursor", async () => {
  const { gateway, client, connection, session } = await opened();
  const states: string[] = [];
  client.onState((state) => states.push(state));
  const seen: string[] = [];
  session.onEvent(({ type }) => seen.push(type));
  connection.say(connection.event(1, { type: "turn_start" }), connection.event(2, { type: "queue_update" }));
  connection.cut();
  expect(session.isAway).toBe(true);
  const next = await gateway.connection(2);
  const attach = await next.next("attach_session");
  expect(attach).toMatchObject({ sessionId: "s1", since: cursor(2) });
  // The server may replay more than was missed.
  next.say(
    next.ok(attach, { cursor: cursor(4), resync: false }),
    next.event(2, { type: "queue_update" }),
    next.event(3, { type: "todo_auto_clear" }),
    next.event(4, { type: "notice", cursor: cursor(4, "e1", "a") }),
  );
  expect(seen).toEqual(["turn_start", "queue_update", "todo_auto_clear", "notice"]);
  expect(session.cursor).toEqual(cursor(4, "e1", "a"));
  expect({ isAway: session.isAway, states }).toEqual({ isAway: false, states: ["away", "connected"] });
  client.end();
});

describe("commands without an answer", () => {
  test("are sent again under the same key, and their answers reach the calls", async () => {
    const { gateway, client, connection, session } = await opened();
    const naming = session.setSessionName("x");
    const first = await connection.next("set_session_name");
    expect(first.commandKey).toBe(first.id);
    connection.cut();
    const later = session.getState(); // waits for the next connection
    const next = await gateway.connection(2);
    const attach = await next.next("attach_session");
    expect(next.received).toEqual([attach]);
    next.say(next.ok(attach, { cursor: cursor(0), resync: false }));
    const again = await next.next("set_session_name");
    expect(again).toEqual(first);
    const state = await next.next("get_state");
    next.say(next.ok(again), next.ok(state, RUNNING));
    await naming;
    expect(await later).toMatchObject({ isStreaming: true });
    client.end();
  });

  test("fail when the server was started anew, because it may have done them; reading is asked again", async () => {
    const { gateway, client, connection, session } = await opened();
    const naming = session.setSessionName("x");
    const reading = session.getTree();
    await connection.next("get_tree");
    gateway.epoch = "e2";
    connection.cut();
    const next = await gateway.connection(2);
    next.say(next.fail(await next.next("attach_session"), "It is stored", "not_open"));
    const open = await next.next("open_session");
    expect(open).toMatchObject({ session: "s1", cwd: "/w", since: cursor(0) });
    next.say(
      next.ok(open, { sessionId: "s1", state: STATE, cursor: cursor(0), resync: true }),
      snapshot(cursor(3, "e2")),
    );
    await expect(naming).rejects.toMatchObject({ code: "worker_exited" });
    next.say(next.ok(await next.next("get_tree"), { tree: [], leafId: null }));
    expect(await reading).toEqual({ tree: [], leafId: null });
    expect(next.all("set_session_name")).toEqual([]);
    client.end();
  });

  test("for the gateway are sent again, too; the session that they opened is attached on the new connection", async () => {
    const { gateway, client, connection } = await opened();
    const opening = client.open({ cwd: "/other" });
    const first = await connection.next("open_session", 2);
    connection.cut();
    const next = await gateway.connection(2);
    const again = await next.next("open_session");
    expect(again).toEqual(first);
    next.say(next.ok(again, { sessionId: "s2", state: STATE, cursor: cursor(0), resync: false }));
    const attaches = async () => (await next.next("attach_session", 2)).sessionId;
    expect(await attaches()).toBe("s2");
    next.say(next.ok(next.all("attach_session")[1]!, { cursor: cursor(0), resync: false }));
    expect((await opening).sessionId).toBe("s2");
    client.end();
  });
});

describe("a run", () => {
  const answered = agentEnd("done");

  test("that ended meanwhile is told whole, also when the answer to its prompt was lost", async () => {
    const { gateway, client, connection, session } = await opened();
    const run = session.run("hello");
    await connection.next("prompt");
    connection.cut();
    const next = await gateway.connection(2);
    const attach = await next.next("attach_session");
    next.say(
      next.ok(attach, { cursor: cursor(4), resync: false }),
      next.event(1, START),
      next.event(2, { type: "message_end", message: assistant("done") }),
      next.event(3, answered),
      next.event(4, SETTLED),
    );
    const prompt = await next.next("prompt");
    next.say(next.ok(prompt), next.ok(await next.next("get_state"), STATE));
    const types: string[] = [];
    for await (const { type } of run) types.push(type);
    expect(types).toEqual(["agent_start", "message_end", "agent_end"]);
    expect((await run.result).text).toBe("done");
    expect(session.isIdle).toBe(true);
    client.end();
  });

  test("that goes on is followed to its end", async () => {
    const { gateway, client, connection, session } = await opened();
    const result = session.promptAndWait("hello");
    connection.say(connection.ok(await connection.next("prompt")), connection.event(1, START));
    connection.cut();
    const next = await gateway.connection(2);
    const attach = await next.next("attach_session");
    next.say(next.ok(attach, { cursor: cursor(1), resync: false }));
    next.say(next.ok(await next.next("get_state"), RUNNING));
    expect(next.all("prompt")).toEqual([]);
    next.say(next.event(2, answered), next.event(3, SETTLED));
    expect((await result).text).toBe("done");
    client.end();
  });

  test("that ended behind the frames that are kept is known from the snapshot", async () => {
    const { gateway, client, connection, session } = await opened();
    const result = session.promptAndWait("hello");
    const user = { role: "user", content: "hello", timestamp: 7 };
    connection.say(connection.ok(await connection.next("prompt")), connection.event(1, START));
    connection.say(connection.event(2, { type: "message_end", message: user, cursor: cursor(2, "e1", "a") }));
    connection.cut();
    const next = await gateway.connection(2);
    const attach = await next.next("attach_session");
    expect(attach.since).toEqual(cursor(2, "e1", "a"));
    next.say(next.ok(attach, { cursor: cursor(900), resync: true }), {
      ...{ type: "session_snapshot", sessionId: "s1", state: STATE, leafId: "b", tools: [], pending: [], seq: 900 },
      entries: [{ type: "message", id: "b", parentId: "a", message: assistant("late") }],
      cursor: cursor(900, "e1", "b"),
    });
    next.say(next.ok(await next.next("get_state"), STATE));
    const { text, messages, stopReason } = await result;
    expect({ text, stopReason, roles: messages.map(({ role }) => role) }).toEqual({
      text: "late",
      stopReason: "stop",
      roles: ["user", "assistant"],
    });
    expect(session.cursor).toEqual(cursor(900, "e1", "b"));
    client.end();
  });

  test("that its process did not survive fails", async () => {
    const { client, connection, session } = await opened();
    const result = session.promptAndWait("hello");
    connection.say(connection.ok(await connection.next("prompt")), connection.event(1, START));
    connection.say(
      connection.event(2, { type: "worker_exited", code: null, signal: "SIGKILL", stderrTail: "out of memory" }),
    );
    await expect(result).rejects.toMatchObject({
      code: "worker_exited",
      message: expect.stringContaining("out of memory"),
    });
    expect(session.isIdle).toBe(true);
    client.end();
  });
});

test("what counts for one connection is said on the next one again, tools also when the old one still holds them", async () => {
  const { gateway, client, connection, session } = await opened();
  const tool = { name: "t", description: "d", parameters: {}, execute: () => "done" };
  const set = session.setCustomTools([tool]);
  connection.say(connection.ok(await connection.next("set_host_tools"), { toolNames: ["t"] }));
  await set;
  session.onUiRequest(() => "yes");
  connection.say(connection.ok(await connection.next("set_host_capabilities"), {}));
  connection.cut();
  const next = await gateway.connection(2);
  next.say(next.ok(await next.next("attach_session"), { cursor: cursor(0), resync: false }));
  const tools = await next.next("set_host_tools");
  expect(tools).toMatchObject({ sessionId: "s1", tools: [{ name: "t" }] });
  const declared = next.all("set_host_capabilities").filter(({ sessionId }) => sessionId !== undefined);
  expect(declared).toMatchObject([{ ui: true }]);
  next.say(next.fail(tools, 'The tool "t" belongs to another connection', "busy"));
  const again = await next.next("set_host_tools", 2);
  next.say(next.ok(again, { toolNames: ["t"] }));
  next.say(next.event(1, { type: "host_tool_call", id: "h1", toolCallId: "c", toolName: "t", arguments: {} }));
  expect(await next.next("host_tool_result")).toMatchObject({ id: "h1", sessionId: "s1" });
  client.end();
});

test("what is replayed passes the filter of before: it is said ahead of the attachment, and only for that", async () => {
  const { gateway, client, connection, session } = await opened();
  const set = session.setEventFilter({ events: ["*", "entry_appended"] });
  connection.say(connection.ok(await connection.next("set_event_filter"), { events: null }));
  await set;
  connection.cut();
  const next = await gateway.connection(2);
  await next.next("attach_session");
  const sent = next.received.map(({ type, sessionId, events }) => ({ type, sessionId, events }));
  expect(sent).toEqual([
    { type: "set_event_filter", sessionId: undefined, events: ["*", "entry_appended"] },
    { type: "attach_session", sessionId: "s1", events: undefined },
    { type: "set_event_filter", sessionId: undefined, events: undefined },
  ]);
  client.end();
});

test("questions of the snapshot are asked if they are new; those that it does not have are taken back", async () => {
  const { gateway, client, connection, session } = await opened();
  const asked: string[] = [];
  const over: string[] = [];
  session.onUiRequest(async ({ id }, { signal }) => {
    asked.push(id);
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    over.push(id);
    return undefined;
  });
  connection.say(connection.ok(await connection.next("set_host_capabilities"), {}));
  const question = (id: string) => ({ type: "extension_ui_request", id, method: "confirm", title: "?", message: "" });
  connection.say(connection.event(1, question("q1")), connection.event(2, question("q2")));
  connection.cut();
  const next = await gateway.connection(2);
  next.say(next.ok(await next.next("attach_session"), { cursor: cursor(9), resync: true }), {
    ...{ type: "session_snapshot", sessionId: "s1", state: STATE, leafId: null, tools: [], entries: [], seq: 9 },
    pending: [question("q2"), question("q3")],
    cursor: cursor(9),
  });
  await Promise.resolve();
  expect(asked).toEqual(["q1", "q2", "q3"]);
  await Promise.resolve();
  expect(over).toEqual(["q1"]);
  client.end();
});

test("a question of the snapshot waits for its handler instead of being refused unseen", async () => {
  const { gateway, client, connection, session } = await opened();
  connection.cut();
  const next = await gateway.connection(2);
  const preview = { actionId: "pa_1", label: "L", sourceToolName: "ast_edit", createdAt: 1 };
  next.say(next.ok(await next.next("attach_session"), { cursor: cursor(9), resync: true }), {
    ...{ type: "session_snapshot", sessionId: "s1", state: STATE, leafId: null, tools: [], entries: [], seq: 9 },
    pending: [
      {
        type: "approval_request",
        id: "a1",
        request: {},
        reason: "",
        suggestedRules: [],
        expiresAt: 1,
        default: "deny",
      },
      { type: "pending_action_added", action: preview },
    ],
    cursor: cursor(9),
  });
  const seen = await new Promise((resolve) => session.onPreview((asked) => void resolve(asked) as undefined));
  expect(seen).toEqual(preview);
  await next.next("set_host_capabilities"); // an answer would have been sent before it
  expect(next.received.filter(({ type }) => type === "approval_response")).toEqual([]);
  client.end();
});

test("a snapshot in pages is put together before anything behind it is told", async () => {
  const { client, connection, session } = await opened();
  const following = Conversation.follow(session);
  connection.say(connection.ok(await connection.next("set_event_filter"), { events: null }));
  connection.say(connection.ok(await connection.next("get_entries"), { entries: [], leafId: null }));
  const conversation = await following;
  const entry = (id: string, parentId: string | null) => ({ type: "message", id, parentId, message: assistant(id) });
  connection.say(
    {
      ...{ type: "session_snapshot", sessionId: "s1", state: STATE, leafId: "b", tools: [], pending: [], seq: 5 },
      ...{ entries: [entry("a", null)], more: true, cursor: cursor(5) },
    },
    connection.event(6, { type: "entry_appended", entry: entry("c", "b") }),
  );
  expect(conversation.entries).toEqual([]);
  const rest = await connection.next("get_entries", 2);
  expect(rest).toMatchObject({ since: "a", sessionId: "s1" });
  connection.say(connection.ok(rest, { entries: [entry("b", "a")], leafId: "b" }));
  expect(conversation.entries.map(({ id }) => id)).toEqual(["a", "b", "c"]);
  expect(conversation.messages).toHaveLength(3);
  client.end();
});

describe("the end", () => {
  test("a server that does not let the host in is not asked again", async () => {
    const { gateway, client, connection, session } = await opened();
    gateway.refusal = new RpcRefusedError(401, "this needs the token");
    const ended = new Promise<Error | undefined>((resolve) => {
      client.onState((state, reason) => state === "ended" && resolve(reason));
    });
    const waiting = session.getState();
    connection.cut();
    expect(await ended).toBe(gateway.refusal);
    await expect(waiting).rejects.toBe(gateway.refusal);
    expect(gateway.attempts).toBe(2);
    await expect(client.open()).rejects.toBe(gateway.refusal);
  });

  test("other failures are waited out", async () => {
    const { gateway, client, connection } = await opened();
    gateway.refusal = new Error("connect ECONNREFUSED");
    connection.cut();
    while (gateway.attempts < 5) await new Promise((resolve) => setTimeout(resolve, 1));
    gateway.refusal = undefined;
    expect(await gateway.connection(2)).toBeDefined();
    client.end();
    expect(gateway.last.isClosed).toBe(true);
  });

  test("without reconnecting, everything ends with the connection", async () => {
    const { connection, session, client } = await opened({ reconnect: false });
    const waiting = session.getState();
    connection.cut();
    await expect(waiting).rejects.toMatchObject({ name: "RpcClosedError" });
    expect(client.sessions.size).toBe(0);
  });

  test("a session that cannot be had again ends alone", async () => {
    const { gateway, client, connection, session } = await opened();
    const waiting = session.getState();
    connection.cut();
    const next = await gateway.connection(2);
    next.say(next.fail(await next.next("attach_session"), "It is stored", "not_open"));
    next.say(next.fail(await next.next("open_session"), "There is no such session", "not_found"));
    await expect(waiting).rejects.toMatchObject({ message: expect.stringContaining("no such session") });
    expect(client.sessions.size).toBe(0);
    expect(client.isConnected).toBe(true);
    client.end();
  });
});
