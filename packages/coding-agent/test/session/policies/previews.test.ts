import { describe, expect, setSystemTime, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Tool, ToolResult } from "@pintle/agent";
import type { ScriptedAnswer } from "@pintle/ai/testing";
import type { AgentSessionEvent } from "@pintle/wire";
import { makeTool } from "../../../../agent/test/support/tools.ts";
import type { PendingActionInput } from "../../../src/previews/pending-action.ts";
import type { AgentSession } from "../../../src/session/agent-session.ts";
import {
  endlessTool,
  freshPlace,
  Moment,
  nextEvent,
  show,
  startSession,
  violations,
} from "../../support/session/test-session.ts";

const text = (value: string): ToolResult => ({ content: [{ type: "text", text: value }] });

/** Between a preview and its outcome. */
const DECIDED = "The preview above has been decided on and is no longer pending:";

interface Stage {
  tool: Tool;
  /** The outcomes of the staged changes, in order. */
  log: string[];
  /** Set this before the tool is called. */
  session?: AgentSession;
}

/** A tool that stages one change per call and records its outcome. */
function stagingTool(name = "stage", parts: Partial<PendingActionInput> = {}): Stage {
  const log: string[] = [];
  const stage: Stage = {
    log,
    tool: makeTool(name, async (args) => {
      const label = String((args as { label?: string }).label ?? name);
      stage.session?.tooling.previews.push({
        label,
        sourceToolName: name,
        details: { diff: `+${label}` },
        apply: async (reason) => {
          log.push(`apply ${label}: ${reason}`);
          return text(`applied ${label}`);
        },
        reject: async (reason) => {
          log.push(`reject ${label}: ${reason}`);
          return undefined;
        },
        ...parts,
      });
      return { ...text(`preview of ${label}`), details: { preview: label } };
    }),
  };
  return stage;
}

async function start(
  answers: readonly ScriptedAnswer[],
  stage = stagingTool(),
  { tools = [] as Tool[], settings = {}, place = freshPlace() } = {},
) {
  const agentTools = [stage.tool, ...tools];
  const started = await startSession(answers, { place, agentTools, noTools: "builtin", settings });
  stage.session = started.session;
  return { ...started, stage };
}

const names = (request: { context: { tools?: readonly { name: string }[] } }) =>
  request.context.tools?.map(({ name }) => name);
const choice = (request: { options: { toolChoice?: unknown } }) => request.options.toolChoice;
const previewEvents = (events: readonly AgentSessionEvent[]) =>
  events.flatMap((event) => {
    if (event.type === "pending_action_added") return [`added ${event.action.label}`];
    if (event.type === "pending_action_resolved") return [`${event.action} by ${event.by}: ${event.text}`];
    return [];
  });
const resolve = (action: string, reason = "ok") => ({ call: "resolve", args: { action, reason } });

describe("the model decides", () => {
  test("a preview is followed by a reminder, a forced choice and the outcome", async () => {
    const { session, requests, stage, events } = await start([
      [{ call: "stage", args: { label: "x" } }],
      [resolve("apply", "looks right")],
      [{ text: "done" }],
    ]);
    await session.prompt("go");
    expect(requests.map(choice)).toEqual([undefined, { name: "resolve" }, undefined]);
    expect(requests.map(names)).toEqual([["stage"], ["stage", "resolve"], ["stage", "resolve"]]);
    expect(stage.log).toEqual(["apply x: looks right"]);
    expect(previewEvents(events)).toEqual(["added x", "apply by model: applied x"]);
    expect(show(session.messages)).toEqual([
      "user: go",
      "assistant: <stage>",
      "toolResult: preview of x",
      expect.stringContaining('custom: "x" is a preview: nothing has been changed yet.'),
      "assistant: <resolve>",
      "toolResult: applied x",
      "assistant: done",
    ]);
    const result = session.messages.find((message) => message.role === "toolResult" && message.toolName === "resolve");
    expect(result).toMatchObject({
      details: { action: "apply", reason: "looks right", sourceToolName: "stage", label: "x" },
    });
    expect(session.queue.count).toBe(0);
    expect(violations(events)).toEqual([]);
  });

  test("two previews are decided last in, first out; a third decision finds nothing", async () => {
    const { session, requests, stage } = await start([
      [
        { call: "stage", args: { label: "a" } },
        { call: "stage", args: { label: "b" } },
      ],
      [resolve("discard"), resolve("apply"), resolve("apply")],
      [{ text: "done" }],
    ]);
    await session.prompt("go");
    expect(stage.log).toEqual(["reject b: ok", "apply a: ok"]);
    expect(
      show(session.messages)
        .filter((line) => line.startsWith("toolResult"))
        .slice(2),
    ).toEqual([
      "toolResult: Discarded: b. Reason: ok",
      "toolResult: applied a",
      "toolResult(error): No pending action to resolve. Nothing to apply or discard.",
    ]);
    expect(requests.map(choice)).toEqual([undefined, { name: "resolve" }, undefined]);
  });

  test("with one left the model is still led to it", async () => {
    const { session, requests } = await start([
      [
        { call: "stage", args: { label: "a" } },
        { call: "stage", args: { label: "b" } },
      ],
      [resolve("apply")],
      [resolve("apply")],
      [{ text: "done" }],
    ]);
    await session.prompt("go");
    expect(requests.map(choice)).toEqual([undefined, { name: "resolve" }, { name: "resolve" }, undefined]);
  });

  test("an apply that throws is not run again", async () => {
    let count = 0;
    const stage = stagingTool("stage", {
      apply: async () => {
        count += 1;
        throw new Error("disk full");
      },
    });
    const { session } = await start(
      [[{ call: "stage" }], [resolve("apply")], [resolve("apply")], [{ text: "x" }]],
      stage,
    );
    await session.prompt("go");
    expect(count).toBe(1);
    expect(show(session.messages).filter((line) => line.includes("error"))).toEqual([
      "toolResult(error): Apply failed: disk full",
      "toolResult(error): No pending action to resolve. Nothing to apply or discard.",
    ]);
  });

  test("a model that does not go along is asked twice, then the run ends and the preview stays", async () => {
    const { session, requests, events } = await start([
      [{ call: "stage", args: { label: "x" } }],
      [{ text: "no" }],
      [{ text: "still no" }],
      [resolve("discard")],
      [{ text: "fine" }],
    ]);
    await session.prompt("go");
    expect(requests).toHaveLength(3);
    expect(session.tooling.previews.list().map(({ label }) => label)).toEqual(["x"]);
    await session.prompt("and now");
    expect(requests.map(choice)).toEqual([
      undefined,
      { name: "resolve" },
      { name: "resolve" },
      { name: "resolve" },
      undefined,
    ]);
    expect(session.tooling.previews.list()).toEqual([]);
    expect(violations(events)).toEqual([]);
  });

  test("a model whose cache a forced choice would invalidate is reminded first, and forced when that had no effect", async () => {
    const place = freshPlace();
    const models = join(place.home, "models.json");
    writeFileSync(models, readFileSync(models, "utf8").replace("openai-completions", "anthropic-messages"));
    const { session, requests } = await start(
      [[{ call: "stage" }], [{ text: "hm" }], [resolve("apply")], [{ text: "done" }]],
      stagingTool(),
      { place },
    );
    await session.prompt("go");
    expect(requests.map(choice)).toEqual([undefined, undefined, { name: "resolve" }, undefined]);
  });

  test("a provider that refuses to be forced is asked again without, and remembered", async () => {
    const { session, requests } = await start([
      [{ call: "stage" }],
      [{ fail: "invalid_request", status: 400, message: "tool_choice is not supported" }],
      [resolve("apply")],
      [{ text: "done" }],
      [{ call: "stage" }],
      [resolve("apply")],
      [{ text: "done" }],
    ]);
    await session.prompt("go");
    await session.prompt("again");
    expect(requests.map(choice)).toEqual([
      undefined,
      { name: "resolve" },
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(show(session.messages).filter((line) => line.includes("error"))).toEqual([]);
  });

  test("the user's steering precedes the reminder", async () => {
    const busy = new Moment();
    const { session } = await start([
      () => {
        busy.mark();
        return [{ call: "stage" }];
      },
      [resolve("discard")],
      [{ text: "done" }],
    ]);
    const over = session.prompt("go");
    await busy.come;
    await session.prompting.steer({ text: "discard it" });
    await over;
    const lines = show(session.messages).map((line) => line.slice(0, 22));
    expect(lines.slice(3, 5)).toEqual(["user: discard it", 'custom: "stage" is a p']);
  });

  test("an abort keeps the preview; the next prompt is led to it and reminds of it once", async () => {
    const { tool, running } = endlessTool("endless");
    const { session, requests } = await start(
      [[{ call: "stage" }, { call: "endless" }], [resolve("discard")], [{ text: "done" }]],
      stagingTool(),
      { tools: [tool] },
    );
    const over = session.prompt("go");
    await running;
    await session.abort();
    await over;
    expect(session.tooling.previews.list()).toHaveLength(1);
    await session.prompt("next");
    expect(choice(requests[1]!)).toEqual({ name: "resolve" });
    expect(show(session.messages).filter((line) => line.startsWith("custom"))).toHaveLength(1);
  });

  test("an abort while the change is applied waits for its real outcome", async () => {
    const applying = new Moment();
    const release = new Moment();
    const stage = stagingTool("stage", {
      apply: async () => {
        applying.mark();
        await release.come;
        return text("applied after all");
      },
    });
    const { session, events } = await start([[{ call: "stage" }], [resolve("apply")]], stage);
    const over = session.prompt("go");
    await applying.come;
    const aborted = session.abort();
    release.mark();
    await aborted;
    await over;
    expect(show(session.messages).at(-1)).toBe("toolResult: applied after all");
    expect(events.find((event) => event.type === "agent_end")).toMatchObject({ stopReason: "aborted" });
  });

  test("a decision of the host reaches the model as a message; its own comes too late", async () => {
    const { session, stage } = await start([
      [{ call: "stage", args: { label: "x" } }],
      [{ text: "a" }],
      [{ text: "b" }],
    ]);
    await session.prompt("go");
    const decided = await session.resolvePendingAction("apply");
    expect([decided.text, decided.by, stage.log]).toEqual(["applied x", "host", ["apply x: Applied by the host"]]);
    expect(show(session.messages).at(-1)).toBe(
      'custom: applied x\nThe user has decided on the preview "x": there is nothing left to resolve of it.',
    );
    await expect(session.resolvePendingAction("apply")).rejects.toThrow("No pending action to resolve.");
    await expect(session.resolvePendingAction("apply", { actionId: "pa_9" })).rejects.toThrow(
      "Pending action not found: pa_9",
    );
  });
});

describe("the host decides", () => {
  const byHost = { settings: { "resolve.by": "host" } };
  const dialogs = { select: async () => undefined, input: async () => undefined, confirm: async () => false };

  test("the call stays open, the outcome is its result, and the model is not led anywhere", async () => {
    const { session, requests, events, stage } = await start(
      [[{ call: "stage", args: { label: "x" } }], [{ text: "done" }]],
      stagingTool(),
      byHost,
    );
    session.attachHost({ dialogs });
    const asked = nextEvent(session, "tool_execution_update");
    const over = session.prompt("go");
    await asked;
    const [action] = session.tooling.previews.list();
    expect(action).toMatchObject({ label: "x", details: { diff: "+x" }, deadline: expect.any(Number) });
    expect(session.isStreaming).toBe(true);
    await session.resolvePendingAction("apply", { reason: "go on", actionId: action!.actionId });
    await over;
    expect([requests.map(choice), requests.map(names)]).toEqual([
      [undefined, undefined],
      [["stage"], ["stage"]],
    ]);
    expect(stage.log).toEqual(["apply x: go on"]);
    const result = session.messages.find((message) => message.role === "toolResult");
    expect(result).toMatchObject({
      isError: false,
      content: [
        { type: "text", text: "preview of x" },
        { type: "text", text: DECIDED },
        { type: "text", text: "applied x" },
      ],
      details: {
        preview: "x",
        resolution: [{ actionId: "pa_1", action: "apply", reason: "go on", by: "host" }],
      },
    });
    expect(show(session.messages)).toHaveLength(4);
    expect(violations(events)).toEqual([]);
  });

  test("the time until the decision is no part of the duration of the call", async () => {
    const { session, events } = await start([[{ call: "stage" }], [{ text: "done" }]], stagingTool(), byHost);
    session.attachHost({ dialogs });
    const asked = nextEvent(session, "tool_execution_update");
    const over = session.prompt("go");
    await asked;
    const HOUR = 3_600_000;
    try {
      setSystemTime(new Date(Date.now() + HOUR));
      await session.resolvePendingAction("apply", {});
      await over;
    } finally {
      setSystemTime();
    }
    const end = events.find((event) => event.type === "tool_execution_end");
    expect(end?.durationMs).toBeLessThan(HOUR);
    expect(session.messages.find((message) => message.role === "toolResult")?.durationMs).toBe(end?.durationMs);
  });

  test("silence discards", async () => {
    const { session, events, stage } = await start([[{ call: "stage" }], [{ text: "done" }]], stagingTool(), {
      settings: { "resolve.by": "host", "resolve.timeoutMs": 1000 },
    });
    session.attachHost({ dialogs });
    await session.prompt("go");
    expect(stage.log).toEqual(["reject stage: No decision from the host"]);
    expect(previewEvents(events).at(-1)).toBe(
      "discard by timeout: Discarded: stage. Reason: No decision from the host",
    );
    expect(show(session.messages).at(-1)).toBe("assistant: done");
  });

  test("without a host it is discarded at once, and said", async () => {
    const { session, events, stage } = await start([[{ call: "stage" }], [{ text: "done" }]], stagingTool(), byHost);
    await session.prompt("go");
    expect(stage.log).toHaveLength(1);
    expect(events.find((event) => event.type === "notice")).toMatchObject({ level: "warning", source: "preview" });
  });

  test("an abort discards what the run waits for and ends it", async () => {
    const { session, events, stage } = await start([[{ call: "stage" }]], stagingTool(), byHost);
    session.attachHost({ dialogs });
    const asked = nextEvent(session, "tool_execution_update");
    const over = session.prompt("go");
    await asked;
    await session.abort();
    await over;
    expect(stage.log).toEqual(["reject stage: Request was aborted"]);
    expect(previewEvents(events).at(-1)).toStartWith("discard by abort");
    expect(events.find((event) => event.type === "agent_end")).toMatchObject({ stopReason: "aborted" });
  });

  test("a host that leaves ends the wait", async () => {
    const { session, events, stage } = await start([[{ call: "stage" }], [{ text: "done" }]], stagingTool(), byHost);
    const detach = session.attachHost({ dialogs });
    const asked = nextEvent(session, "tool_execution_update");
    const over = session.prompt("go");
    await asked;
    detach();
    await over;
    expect(stage.log).toHaveLength(1);
    expect(previewEvents(events).at(-1)).toStartWith("discard by session");
  });

  test("calls that run side by side wait for their own previews only", async () => {
    const slow = stagingTool("slow");
    const { session, stage } = await start(
      [
        [
          { call: "stage", args: { label: "a" } },
          { call: "slow", args: { label: "b" } },
        ],
        [{ text: "done" }],
      ],
      stagingTool(),
      { ...byHost, tools: [slow.tool] },
    );
    slow.session = session;
    session.attachHost({ dialogs });
    const both = Promise.withResolvers<void>();
    session.subscribe(() => {
      if (session.tooling.previews.list().filter(({ deadline }) => deadline).length === 2) both.resolve();
    });
    const over = session.prompt("go");
    await both.promise;
    for (const { actionId, label } of session.tooling.previews.list()) {
      await session.resolvePendingAction(label === "a" ? "apply" : "discard", { reason: "r", actionId });
    }
    await over;
    expect([stage.log, slow.log]).toEqual([["apply a: r"], ["reject b: r"]]);
    expect(show(session.messages).filter((line) => line.startsWith("toolResult"))).toEqual([
      `toolResult: preview of a${DECIDED}applied a`,
      `toolResult: preview of b${DECIDED}Discarded: b. Reason: r`,
    ]);
  });

  test("a program that embeds the session can decide itself", async () => {
    const stage = stagingTool();
    const started = await startSession([[{ call: "stage", args: { label: "x" } }], [{ text: "done" }]], {
      agentTools: [stage.tool],
      settings: { "resolve.by": "host" },
      resolvePreview: async ({ label }) => ({ action: "apply", reason: `I like ${label}` }),
    });
    stage.session = started.session;
    await started.session.prompt("go");
    expect(stage.log).toEqual(["apply x: I like x"]);
  });
});

describe("the end of a session", () => {
  test.each<[string, (session: AgentSession) => Promise<unknown>]>([
    ["new session", (session) => session.changes.newSession()],
    ["clone", (session) => session.changes.clone()],
    ["branch", (session) => session.changes.branch(session.manager.userMessages()[0]!.entryId)],
    ["another place", (session) => session.lifecycle.navigateTree(session.manager.userMessages()[0]!.entryId)],
    ["dispose", (session) => session.dispose()],
  ])("%s discards what is staged and never applies it", async (_name, leave) => {
    const { session, stage, events } = await start([[{ call: "stage" }], [{ text: "a" }], [{ text: "b" }]]);
    await session.prompt("go");
    await leave(session);
    expect(stage.log).toHaveLength(1);
    expect(stage.log[0]).toStartWith("reject stage:");
    expect(previewEvents(events).at(-1)).toStartWith("discard by session");
    expect(session.tooling.previews.list()).toEqual([]);
  });

  test("a reject that fails is reported and does not hold the change", async () => {
    const stage = stagingTool("stage", { reject: () => Promise.reject(new Error("stuck")) });
    const { session, events } = await start([[{ call: "stage" }], [{ text: "a" }], [{ text: "b" }]], stage);
    await session.prompt("go");
    await session.changes.newSession();
    expect(events.find((event) => event.type === "extension_error")).toMatchObject({ error: "Discard failed: stuck" });
  });

  test("a move to where the session stands leaves it staged", async () => {
    const { session, stage } = await start([[{ call: "stage" }], [{ text: "a" }], [{ text: "b" }]]);
    await session.prompt("go");
    await session.lifecycle.navigateTree(session.manager.leafId as string);
    expect([stage.log, session.tooling.previews.list().length]).toEqual([[], 1]);
  });

  test("a switch that fails leaves it staged", async () => {
    const { session, stage } = await start([[{ call: "stage" }], [{ text: "a" }], [{ text: "b" }]]);
    await session.prompt("go");
    await expect(session.changes.switchSession("/nowhere/at/all.jsonl")).rejects.toThrow();
    expect([stage.log, session.tooling.previews.list().length]).toEqual([[], 1]);
  });
});
