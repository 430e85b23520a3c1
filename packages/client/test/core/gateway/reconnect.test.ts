import { describe, expect, test } from "bun:test";
import { Conversation, RpcRefusedError } from "../../../src/core/index.ts";
import { cursor, opened, ScriptedGateway, STATE, snapshot } from "../../support/scripted-gateway.ts";
import { agentEnd, assistant, SETTLED, START } from "../../support/scripted-server.ts";

const RUNNING = { ...STATE, isStreaming: true, isSettled: false };

test("reconnects after a lost connection and continues the session from its cursor", async () => {
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

describe("commands without a response", () => {
  test("are resent under the same key, and their responses reach the callers", async () => {
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

  test("fail after a server restart, because they may have been executed; reads are repeated", async () => {
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

  test("to the gateway are resent too; a session they opened is attached on the new connection", async () => {
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

  test("that ended in the meantime is delivered completely, even if the response to its prompt was lost", async () => {
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

  test("that continues is followed to its end", async () => {
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

  test("that ended before the oldest kept frame is known from the snapshot", async () => {
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
      type: "session_snapshot",
      sessionId: "s1",
      state: STATE,
      leafId: "b",
      tools: [],
      pending: [],
      seq: 900,
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

  test("fails if its process did not survive", async () => {
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

test("resends connection state on the next connection, including tools that the old one still holds", async () => {
  const { gateway, client, connection, session } = await opened();
  const tool = { name: "t", description: "d", parameters: {}, execute: () => "done" };
  const set = session.setCustomTools([tool]);
  connection.say(connection.ok(await connection.next("set_host_tools"), { toolNames: ["t"] }));
  await set;
  session.onUiRequest(() => "yes");
  connection.say(connection.ok(await connection.next("set_host_capabilities"), {}));
  const schema = { type: "object" };
  const wanted = session.setOutputSchema({ schema });
  connection.say(connection.ok(await connection.next("set_output_schema"), { outputSchema: schema }));
  await wanted;
  connection.cut();
  const next = await gateway.connection(2);
  next.say(next.ok(await next.next("attach_session"), { cursor: cursor(0), resync: false }));
  expect(await next.next("set_output_schema")).toMatchObject({ sessionId: "s1", schema });
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

test("replayed frames pass the previous filter, which is sent before attaching and reset afterwards", async () => {
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

test("asks new questions of the snapshot and withdraws those that are missing from it", async () => {
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
    type: "session_snapshot",
    sessionId: "s1",
    state: STATE,
    leafId: null,
    tools: [],
    entries: [],
    seq: 9,
    pending: [question("q2"), question("q3")],
    cursor: cursor(9),
  });
  await Promise.resolve();
  expect(asked).toEqual(["q1", "q2", "q3"]);
  await Promise.resolve();
  expect(over).toEqual(["q1"]);
  client.end();
});

test("a queued snapshot keeps newer questions and drops those that ended in the meantime", async () => {
  const gateway = new ScriptedGateway();
  const { client } = gateway;
  await client.connect();
  const connection = gateway.last;
  const attaching = client.attach("s1", { since: "start" });
  const question = (id: string) => ({ type: "extension_ui_request", id, method: "confirm", title: "?", message: "" });
  connection.say(
    connection.ok(await connection.next("attach_session"), { cursor: cursor(9), resync: true }),
    snapshot(cursor(9), { pending: [question("ended"), question("still open")] }),
  );
  const session = await attaching;
  const asked: string[] = [];
  const over: string[] = [];
  const answers = new Map<string, () => void>();
  session.onUiRequest(async ({ id }, { signal }) => {
    asked.push(id);
    await new Promise<void>((resolve) => {
      answers.set(id, resolve);
      signal.addEventListener("abort", () => resolve());
    });
    if (signal.aborted) over.push(id);
    return true;
  });
  const shown = new Promise<unknown[]>((resolve) => session.on("session_snapshot", ({ pending }) => resolve(pending)));
  connection.say(connection.ok(await connection.next("set_host_capabilities"), {}));
  // The snapshot waits for the response to get_state, but questions do not wait for the snapshot.
  const cancel = { type: "extension_ui_request", id: "c", method: "cancel", targetId: "ended", reason: "answered" };
  const route = { sessionId: "s1" };
  connection.say({ ...question("newer"), ...route }, { ...question("answered"), ...route }, { ...cancel, ...route });
  answers.get("answered")!();
  await connection.next("extension_ui_response");
  connection.say(connection.ok(await connection.next("get_state"), STATE));
  expect(await shown).toEqual([question("still open"), question("newer")]);
  expect(asked).toEqual(["newer", "answered", "still open"]);
  await Promise.resolve();
  expect(over).toEqual([]);
  client.end();
});

test("a question of the snapshot waits for its handler instead of being rejected unseen", async () => {
  const { gateway, client, connection, session } = await opened();
  connection.cut();
  const next = await gateway.connection(2);
  const preview = { actionId: "pa_1", label: "L", sourceToolName: "ast_edit", createdAt: 1 };
  next.say(next.ok(await next.next("attach_session"), { cursor: cursor(9), resync: true }), {
    type: "session_snapshot",
    sessionId: "s1",
    state: STATE,
    leafId: null,
    tools: [],
    entries: [],
    seq: 9,
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

test("a paged snapshot is assembled before anything after it is delivered", async () => {
  const { client, connection, session } = await opened();
  const following = Conversation.follow(session);
  connection.say(connection.ok(await connection.next("set_event_filter"), { events: null }));
  connection.say(connection.ok(await connection.next("get_entries"), { entries: [], leafId: null }));
  const conversation = await following;
  const entry = (id: string, parentId: string | null) => ({ type: "message", id, parentId, message: assistant(id) });
  connection.say(
    {
      type: "session_snapshot",
      sessionId: "s1",
      state: STATE,
      leafId: "b",
      tools: [],
      pending: [],
      seq: 5,
      entries: [entry("a", null)],
      more: true,
      cursor: cursor(5),
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
  test("does not retry if the server rejects the host", async () => {
    const { gateway, client, connection, session } = await opened();
    gateway.refusal = new RpcRefusedError(401, "a token is required");
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

  test("retries after other failures", async () => {
    const { gateway, client, connection } = await opened();
    gateway.refusal = new Error("connect ECONNREFUSED");
    connection.cut();
    while (gateway.attempts < 5) await new Promise((resolve) => setTimeout(resolve, 1));
    gateway.refusal = undefined;
    expect(await gateway.connection(2)).toBeDefined();
    client.end();
    expect(gateway.last.isClosed).toBe(true);
  });

  test("ends everything with the connection if reconnecting is disabled", async () => {
    const { connection, session, client } = await opened({ reconnect: false });
    const waiting = session.getState();
    connection.cut();
    await expect(waiting).rejects.toMatchObject({ name: "RpcClosedError" });
    expect(client.sessions.size).toBe(0);
  });

  test("ends only the session that cannot be reattached", async () => {
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
