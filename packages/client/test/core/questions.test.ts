import { describe, expect, test } from "bun:test";
import { RpcCore, type UiAnswer } from "../../src/core/index.ts";
import { connected, READY, ScriptedServer } from "../support/scripted-server.ts";

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

const dialog = (method: string, fields: object = {}) => ({
  type: "extension_ui_request",
  id: "ui_1",
  method,
  title: "T",
  ...fields,
});
const trust = { type: "trust_request", id: "trust_1", project: "/p", digest: "d", timeout: 1, items: [] };
const preview = { actionId: "pa_1", label: "L", sourceToolName: "ast_edit", createdAt: 1 };
const added = { type: "pending_action_added", action: preview };
const resolved = { type: "pending_action_resolved", actionId: "pa_1", action: "discard", by: "timeout" };

/** Returns the frames of this type that the client has sent, one event-loop turn later. */
async function sent(server: ScriptedServer, type: string) {
  await nextTurn();
  return server.received.filter((frame) => frame.type === type);
}

describe("capabilities", () => {
  test("declares handlers that are installed before the start", async () => {
    const client = new RpcCore({ updateMode: "delta" });
    client.onTrustRequest(() => true);
    client.onPreview(() => "apply");
    const server = new ScriptedServer();
    const started = client.connect(server.transport);
    server.say(READY);
    await nextTurn();
    expect(server.received.map(({ id: _id, ...frame }) => frame)).toEqual([
      { type: "set_host_capabilities", trust: true, resolvePreviews: true },
      { type: "set_update_mode", mode: "delta" },
    ]);
    server.say(server.ok("set_host_capabilities", {}), server.ok("set_update_mode"));
    await started;
  });

  test("declares later handlers immediately; replacing one sends nothing, removing it does", async () => {
    const { client, server } = await connected();
    client.onUiRequest(() => undefined);
    const remove = client.onUiRequest(() => true);
    remove();
    expect((await sent(server, "set_host_capabilities")).map(({ ui }) => ui)).toEqual([true, false]);
    client.disconnect();
  });

  test("ignores the removal of a handler that was replaced", async () => {
    const { client, server } = await connected();
    const removeFirst = client.onUiRequest(() => "first");
    client.onUiRequest(() => "second");
    removeFirst();
    server.say(dialog("input"));
    expect(await sent(server, "extension_ui_response")).toMatchObject([{ value: "second" }]);
    client.disconnect();
  });
});

describe("dialogs", () => {
  test.each<[string, UiAnswer, object]>([
    ["select", "a", { value: "a" }],
    ["confirm", true, { confirmed: true }],
    ["confirm", false, { confirmed: false }],
    ["input", "", { value: "" }],
    ["editor", undefined, { cancelled: true }],
    ["input", { cancelled: true, timedOut: true }, { cancelled: true, timedOut: true }],
  ])("%s answered with %p", async (method, answer, fields) => {
    const { client, server } = await connected();
    client.onUiRequest(async () => answer);
    server.say(dialog(method));
    expect(await sent(server, "extension_ui_response")).toEqual([
      { type: "extension_ui_response", id: "ui_1", ...fields },
    ]);
    client.disconnect();
  });

  test("cancels dialogs without a handler, and never answers notifications", async () => {
    const { server } = await connected();
    server.say(dialog("confirm"), dialog("notify"), dialog("setStatus"));
    expect(await sent(server, "extension_ui_response")).toEqual([
      { type: "extension_ui_response", id: "ui_1", cancelled: true },
    ]);
  });

  test("delivers notifications to the handler", async () => {
    const { client, server } = await connected();
    const seen: string[] = [];
    client.onUiRequest((request) => {
      seen.push(request.method);
      return "ignored";
    });
    server.say(dialog("notify"), dialog("setWidget"), dialog("setTitle"), dialog("set_editor_text"));
    expect(await sent(server, "extension_ui_response")).toEqual([]);
    expect(seen).toEqual(["notify", "setWidget", "setTitle", "set_editor_text"]);
    client.disconnect();
  });

  test("does not answer a withdrawn dialog", async () => {
    const { client, server } = await connected();
    const answer = Promise.withResolvers<string>();
    let signal: AbortSignal | undefined;
    client.onUiRequest((_request, context) => {
      signal = context.signal;
      return answer.promise;
    });
    server.say(dialog("input"), { type: "extension_ui_request", id: "ui_2", method: "cancel", targetId: "ui_1" });
    expect(signal?.aborted).toBe(true);
    answer.resolve("late");
    expect(await sent(server, "extension_ui_response")).toEqual([]);
    client.disconnect();
  });

  test("the signal gives the reason for the withdrawal", async () => {
    const { client, server } = await connected();
    const reasons: unknown[] = [];
    const forever = (_: unknown, { signal }: { signal: AbortSignal }) =>
      new Promise<undefined>(() => signal.addEventListener("abort", () => reasons.push(signal.reason.cause)));
    client.onUiRequest(forever);
    client.onPreview(forever);
    client.onTrustRequest(forever as never);
    server.say(dialog("input"), added, trust);
    server.say(
      { type: "extension_ui_request", id: "ui_2", method: "cancel", targetId: "ui_1", reason: "answered" },
      resolved,
      { type: "trust_resolved", id: "trust_1", trusted: true, by: "host" },
    );
    await nextTurn();
    expect(reasons).toEqual(["answered", "timeout", "answered"]);
    client.disconnect();
  });

  test("the end of the connection withdraws them; the next server does not receive the answer", async () => {
    const { client, server } = await connected();
    const answer = Promise.withResolvers<string>();
    let signal: AbortSignal | undefined;
    client.onUiRequest((_request, context) => {
      signal = context.signal;
      return answer.promise;
    });
    server.say(dialog("input"));
    client.disconnect();
    expect(signal?.aborted).toBe(true);
    const next = new ScriptedServer();
    const started = client.connect(next.transport);
    next.say(READY);
    await nextTurn();
    next.say(next.ok("set_host_capabilities", {}));
    await started;
    answer.resolve("late");
    expect(await sent(next, "extension_ui_response")).toEqual([]);
  });

  test("a handler that throws cancels the dialog, and the error is reported", async () => {
    const { client, server } = await connected();
    const faults: string[] = [];
    client.onProtocolError(({ message }) => faults.push(message));
    client.onUiRequest(() => {
      throw new Error("oops");
    });
    server.say(dialog("confirm"));
    expect(await sent(server, "extension_ui_response")).toMatchObject([{ cancelled: true }]);
    expect(faults).toEqual(["The handler of onUiRequest has thrown: oops"]);
    client.disconnect();
  });
});

test("reports an answer that is not JSON", async () => {
  const { client, server } = await connected();
  const faults: string[] = [];
  client.onProtocolError(({ message }) => faults.push(message.replace(/:.*/s, "")));
  client.onUiRequest((() => ({ value: 1n })) as never);
  client.onTrustRequest((() => ({ trusted: 1n })) as never);
  client.onPreview((() => ({ action: 1n })) as never);
  server.say(dialog("input"), trust, added);
  await nextTurn();
  expect(faults).toEqual([
    "The handler of onUiRequest has thrown",
    "The handler of onTrustRequest has thrown",
    "The handler of onPreview has thrown",
  ]);
  client.disconnect();
});

describe("trust", () => {
  test.each([
    [true, { trusted: true }],
    [false, { trusted: false }],
    [
      { trusted: true, remember: true },
      { trusted: true, remember: true },
    ],
  ])("answered with %p", async (answer, fields) => {
    const { client, server } = await connected();
    client.onTrustRequest(() => answer);
    server.say(trust);
    expect(await sent(server, "trust_response")).toEqual([{ type: "trust_response", id: "trust_1", ...fields }]);
    client.disconnect();
  });

  test("grants trust only on an explicit yes: not without a handler or an answer, nor after an error", async () => {
    const { client, server } = await connected();
    client.onProtocolError(() => {});
    server.say(trust);
    client.onTrustRequest((() => undefined) as never);
    server.say({ ...trust, id: "trust_2" });
    client.onTrustRequest((async () => undefined) as never);
    server.say({ ...trust, id: "trust_3" });
    client.onTrustRequest((() => "yes") as never);
    server.say({ ...trust, id: "trust_4" });
    client.onTrustRequest(() => Promise.reject(new Error("oops")));
    server.say({ ...trust, id: "trust_5" });
    const answers = await sent(server, "trust_response");
    expect(answers.map(({ trusted }) => trusted)).toEqual([false, false, false, false, false]);
    client.disconnect();
  });

  test("sends nothing after the server has decided", async () => {
    const { client, server } = await connected();
    const answer = Promise.withResolvers<boolean>();
    client.onTrustRequest(() => answer.promise);
    server.say(trust, { type: "trust_resolved", id: "trust_1", trusted: false, by: "timeout" });
    answer.resolve(true);
    expect(await sent(server, "trust_response")).toEqual([]);
    client.disconnect();
  });
});

describe("previews", () => {
  test.each([
    ["apply", { action: "apply" }],
    [
      { action: "discard", reason: "no" },
      { action: "discard", reason: "no" },
    ],
  ] as const)("decided with %p", async (answer, fields) => {
    const { client, server } = await connected();
    const seen: unknown[] = [];
    client.onPreview((action) => {
      seen.push(action);
      return answer;
    });
    server.say(added);
    expect(await sent(server, "resolve_pending_action")).toMatchObject([{ actionId: "pa_1", ...fields }]);
    expect(seen).toEqual([preview]);
    client.disconnect();
  });

  test("a handler that throws discards the preview", async () => {
    const { client, server } = await connected();
    client.onProtocolError(() => {});
    client.onPreview(() => Promise.reject(new Error("oops")));
    server.say(added);
    expect(await sent(server, "resolve_pending_action")).toMatchObject([{ action: "discard" }]);
    client.disconnect();
  });

  test("sends nothing without a decision or a handler, or when it is too late", async () => {
    const { client, server } = await connected();
    server.say(added);
    const answer = Promise.withResolvers<"apply">();
    client.onPreview(({ actionId }) => (actionId === "pa_1" ? answer.promise : undefined));
    server.say(added, { type: "pending_action_added", action: { ...preview, actionId: "pa_2" } }, resolved);
    answer.resolve("apply");
    expect(await sent(server, "resolve_pending_action")).toEqual([]);
    client.disconnect();
  });

  test("losing the race to another host is not an error; any other failure is", async () => {
    const { client, server } = await connected();
    const faults: string[] = [];
    client.onProtocolError(({ message }) => faults.push(message));
    client.onPreview(() => "apply");
    server.say(added);
    await nextTurn();
    server.say(server.fail("resolve_pending_action", "Pending action not found: pa_1", "not_found"));
    server.say(added);
    await nextTurn();
    server.say(server.fail("resolve_pending_action", "Invalid resolve_pending_action", "invalid_request"));
    await nextTurn();
    expect(faults).toEqual([
      "The handler of onPreview has thrown: resolve_pending_action: Invalid resolve_pending_action",
    ]);
    client.disconnect();
  });
});

describe("approvals", () => {
  const request = { toolCallId: "c", tool: "bash", kind: "execute", title: "bash ls", origin: "builtin" };
  const rule = { effect: "allow", command: "ls" };
  const question = {
    type: "approval_request",
    id: "approval_1",
    request,
    reason: "r",
    suggestedRules: [rule],
    expiresAt: 1,
    default: "deny",
  };

  test("accepts a decision or an object as the answer", async () => {
    const { client, server } = await connected();
    client.onApproval(({ request: { title } }) => (title === "bash ls" ? "allow_once" : "deny"));
    server.say(question);
    expect(await sent(server, "approval_response")).toMatchObject([{ id: "approval_1", decision: "allow_once" }]);
    client.onApproval(({ suggestedRules }) => ({ decision: "allow_session", rules: suggestedRules }));
    server.say({ ...question, id: "approval_2" });
    expect((await sent(server, "approval_response"))[1]).toMatchObject({ decision: "allow_session", rules: [rule] });
    client.disconnect();
  });

  test("a handler that returns nothing or throws denies", async () => {
    const { client, server } = await connected();
    client.onApproval(() => undefined);
    server.say(question);
    client.onApproval(() => {
      throw new Error("broken");
    });
    server.say({ ...question, id: "approval_2" });
    expect((await sent(server, "approval_response")).map(({ decision }) => decision)).toEqual(["deny", "deny"]);
    client.disconnect();
  });

  test("sends no answer to a withdrawn question", async () => {
    const { client, server } = await connected();
    const seen = Promise.withResolvers<AbortSignal>();
    client.onApproval(async (_, { signal }) => {
      seen.resolve(signal);
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      return "allow_once" as const;
    });
    server.say(question);
    const signal = await seen.promise;
    server.say({ type: "approval_cancel", id: "x", targetId: "approval_1" });
    await nextTurn();
    expect(signal.aborted).toBe(true);
    expect(await sent(server, "approval_response")).toEqual([]);
    client.disconnect();
  });
});

describe("the host's editor and terminal", () => {
  const read = { type: "host_fs_request", id: "fs_1", method: "read", toolCallId: "c", path: "/p/a" };
  const write = { ...read, id: "fs_2", method: "write", content: "new" };
  const command = {
    type: "host_terminal_request",
    id: "t_1",
    method: "run",
    toolCallId: "c",
    command: "make",
    cwd: "/p",
    env: {},
  };

  test("reads and writes open files there, and leaves the rest to the disk", async () => {
    const { client, server } = await connected();
    server.say(read);
    client.onFileRequest((request) => (request.method === "read" ? "unsaved" : request.content === "new"));
    server.say(read, write, { ...write, id: "fs_3", content: "other" });
    expect(await sent(server, "host_fs_result")).toEqual([
      { type: "host_fs_result", id: "fs_1", notOpen: true },
      { type: "host_fs_result", id: "fs_1", content: "unsaved" },
      { type: "host_fs_result", id: "fs_2" },
      { type: "host_fs_result", id: "fs_3", notOpen: true },
    ]);
    client.disconnect();
  });

  test("sends errors of a handler to the model, and does not answer a cancelled request", async () => {
    const { client, server } = await connected();
    const faults: string[] = [];
    client.onProtocolError(({ message }) => faults.push(message));
    let ended = false;
    client.onTerminalRequest(async ({ command: text }, { signal }) => {
      if (text === "make") throw new Error("no terminal is open");
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      ended = true;
      return { output: "late" };
    });
    server.say(command, { ...command, id: "t_2", command: "sleep" });
    server.say({ type: "host_terminal_request", id: "x", method: "cancel", targetId: "t_2" });
    await nextTurn();
    expect(await sent(server, "host_terminal_result")).toEqual([
      { type: "host_terminal_result", id: "t_1", error: "no terminal is open" },
    ]);
    expect(ended).toBe(true);
    expect(faults).toEqual(["The handler of onTerminalRequest has thrown: no terminal is open"]);
    client.disconnect();
  });
});

describe("an exhausted budget", () => {
  const reached = { type: "budget_reached", limit: "turns", used: 3, max: 3, scope: "run" };

  test("is raised by the answer, and asked again if that was not enough", async () => {
    const { client, server } = await connected();
    const answers = [{ turns: 4 }, undefined];
    const asked: string[] = [];
    client.onBudget(({ limit }) => {
      asked.push(limit);
      return answers.shift();
    });
    expect(await sent(server, "set_host_capabilities")).toMatchObject([{ budgets: true }]);
    server.say(reached);
    expect(await sent(server, "raise_budget")).toMatchObject([{ turns: 4 }]);
    server.say(server.ok("raise_budget", {}), reached);
    expect(await sent(server, "raise_budget")).toHaveLength(1);
    expect(asked).toEqual(["turns", "turns"]);
    client.disconnect();
  });

  test("is withdrawn when the run ends", async () => {
    const { client, server } = await connected();
    let answer = (_value: { turns: number }) => {};
    client.onBudget(
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    );
    server.say(reached, { type: "agent_end", messages: [], stopReason: "aborted" });
    answer({ turns: 9 });
    expect(await sent(server, "raise_budget")).toEqual([]);
    client.disconnect();
  });
});
