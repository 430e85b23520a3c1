import { describe, expect, test } from "bun:test";
import { textOf } from "../../../../agent/test/support/tools.ts";
import { createEventBus } from "../../../src/extensibility/api/event-bus.ts";
import type { ExtensionAPI, ExtensionFactory, ToolDefinition } from "../../../src/extensibility/api/extension-types.ts";
import { flagValue } from "../../../src/extensibility/api/flags.ts";
import { startExtensions } from "../../support/extensibility/extensions/harness.ts";
import { recordingUi } from "../../support/extensibility/extensions/recording-ui.ts";
import { nextEvent, show } from "../../support/session/test-session.ts";

/** Exposes the API, for use once the session exists. */
function exposed(): { factory: ExtensionFactory; pi: () => ExtensionAPI } {
  let api: ExtensionAPI | undefined;
  return {
    factory: (pi) => {
      api = pi;
    },
    pi: () => api as ExtensionAPI,
  };
}

const parameters = { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as never;

describe("registerTool", () => {
  test("execute receives the arguments in the order that extensions expect", async () => {
    const seen: unknown[] = [];
    const definition = {
      name: "t",
      description: "d",
      parameters,
      prefix: "own",
      async execute(this: { prefix: string }, id, params, signal, onUpdate, ctx) {
        onUpdate?.({ content: [{ type: "text", text: "half" }] });
        seen.push(id, params, signal?.aborted, ctx.cwd);
        return {
          content: [{ type: "text", text: `${this.prefix} ${(params as { n: number }).n}` }],
          details: { n: 1 },
        };
      },
    } as ToolDefinition & { prefix: string };
    await using harness = await startExtensions([[{ call: "t", args: { n: 5 }, id: "c1" }], [{ text: "ok" }]], {
      inline: [(pi) => pi.registerTool(definition)],
    });
    await harness.prompt("go");
    expect(seen).toEqual(["c1", { n: 5 }, false, harness.cwd]);
    expect(show(harness.session.messages)).toContain("toolResult: own 5");
    expect(harness.events).toContainEqual(
      expect.objectContaining({
        type: "tool_execution_update",
        partialResult: { content: [{ type: "text", text: "half" }] },
      }),
    );
  });

  test("supports the other fields of a definition", async () => {
    await using harness = await startExtensions([], {
      inline: [
        (pi) => {
          const execute = async () => ({ content: [] });
          const tool = (more: object) => pi.registerTool({ description: "d", parameters, execute, ...more } as never);
          tool({ name: "alone", executionMode: "sequential", promptSnippet: "one line", promptGuidelines: ["use it"] });
          tool({ name: "quiet", hidden: true });
          tool({ name: "later", defaultInactive: true, label: "Later", deferrable: true });
          tool({ name: "fixed", prepareArguments: (args: object) => ({ ...args, n: 1 }) });
        },
      ],
    });
    const [alone, quiet, later, fixed] = harness.host.extensionTools;
    expect(alone).toMatchObject({
      isHidden: false,
      tool: { promptSnippet: "one line", promptGuidelines: ["use it"] },
    });
    expect(alone!.tool).toMatchObject({ name: "alone", label: "alone", concurrency: "exclusive" });
    expect([quiet!.isHidden, later!.isHidden]).toEqual([true, true]);
    expect(later!.tool).toMatchObject({ label: "Later", deferrable: true });
    expect(fixed!.tool.prepareArguments?.({ m: 2 })).toEqual({ m: 2, n: 1 });
    const offered = harness.session.tooling.view.active.map(({ name }) => name);
    expect(offered).toContain("alone");
    expect(offered).not.toContain("quiet");
  });

  test("reports an invalid tool and keeps the others; the first extension keeps a name", async () => {
    const tool = (name: string, text: string) =>
      ({ name, description: "d", parameters, execute: async () => text }) as never;
    await using harness = await startExtensions([], {
      inline: [
        (pi) => {
          pi.registerTool(tool("same", "old"));
          pi.registerTool(tool("same", "first"));
          pi.registerTool({ name: "bad name!" } as never);
          pi.registerTool({ ...(tool("bad", "") as object), parameters: { type: "nonsense" } } as never);
          pi.registerTool(tool("good", "g"));
        },
        (pi) => pi.registerTool(tool("same", "second")),
      ],
    });
    expect(harness.host.extensionTools.map(({ tool }) => tool.name)).toEqual(["same", "good"]);
    expect(textOf(await harness.call("same", { n: 1 }))).toBe("first");
    expect(harness.host.faults.map(({ path, event }) => `${path} ${event}`)).toEqual([
      "<inline:1> registerTool",
      "<inline:1> registerTool",
      "<inline:2> registerTool",
    ]);
    expect(harness.host.faults.at(-1)!.error).toBe('Tool "same" is already registered by <inline:1>');
  });

  test("a tool that throws returns an error result and is not a fault; tools are notified of the session", async () => {
    const heard: string[] = [];
    await using harness = await startExtensions([[{ call: "t", args: { n: 1 } }], [{ text: "ok" }]], {
      inline: [
        (pi) =>
          pi.registerTool({
            name: "t",
            description: "d",
            parameters,
            execute() {
              throw new Error("cannot");
            },
            onSession: ({ reason }, ctx) => void heard.push(`${reason} ${ctx.isIdle()}`),
          }),
      ],
      settings: { "compaction.enabled": false },
    });
    await harness.prompt("go");
    await harness.session.changes.newSession();
    expect(heard).toEqual(["start true", "shutdown true", "switch true"]);
    expect(harness.host.faults).toEqual([]);
  });
});

describe("registerCommand", () => {
  test("the name ends at the first space, the rest is passed verbatim, and nothing is stored", async () => {
    const seen: string[] = [];
    await using harness = await startExtensions([], {
      inline: [(pi) => pi.registerCommand("do", { description: "Does it", handler: (args) => void seen.push(args) })],
    });
    for (const text of ["/do", "/do  two  words ", "/do\nnext line"]) await harness.prompt(text);
    expect(seen).toEqual(["", " two  words ", "next line"]);
    expect(harness.session.messages).toEqual([]);
    expect(harness.events.filter(({ type }) => type === "agent_start")).toEqual([]);
    expect(harness.runner.commands()).toEqual([
      {
        name: "do",
        description: "Does it",
        source: "extension",
        sourceInfo: { path: "<inline:1>", source: "inline", scope: "temporary", origin: "top-level" },
      },
    ]);
    for (const text of ["do it", "/", "/dont", " /do"]) expect(harness.runner.command(text)).toBeUndefined();
  });

  test("numbers two commands with the same name, and leaves a third one alone", async () => {
    const seen: string[] = [];
    const command =
      (name: string, own: string): ExtensionFactory =>
      (pi) =>
        pi.registerCommand(name, { handler: () => void seen.push(own) });
    await using harness = await startExtensions([], {
      inline: [command("go", "a"), command("stay", "b"), command("go", "c")],
    });
    expect(harness.runner.commands().map(({ name }) => name)).toEqual(["go:1", "stay", "go:2"]);
    await harness.prompt("/go:2");
    await harness.prompt("/go:1");
    expect(harness.runner.command("/go")).toBeUndefined();
    expect(seen).toEqual(["c", "a"]);
  });

  test("runs while the model responds; an exception is an error of the command", async () => {
    const { promise: hold, resolve } = Promise.withResolvers<void>();
    const seen: boolean[] = [];
    await using harness = await startExtensions([[{ wait: hold }, { text: "ok" }]], {
      inline: [
        (pi) => {
          pi.registerCommand("now", { handler: (_args, ctx) => void seen.push(ctx.isIdle()) });
          pi.registerCommand("bad", { handler: () => Promise.reject(new Error("broken")) });
        },
      ],
    });
    const running = harness.session.prompt("go");
    await harness.prompt("/now");
    await harness.prompt("/bad");
    resolve();
    await running;
    expect(seen).toEqual([false]);
    expect(harness.host.faults).toEqual([{ path: "command:bad", event: "command", error: "broken" }]);
    expect(() => harness.session.prompting.steer({ text: "/now" })).toThrow(
      'Extension command "/now" cannot be queued. Use prompt() or execute the command when not streaming.',
    );
  });

  test("validates names and handlers", async () => {
    const wrong: ((pi: ExtensionAPI) => void)[] = [
      (pi) => pi.registerCommand("two words", { handler() {} }),
      (pi) => pi.registerCommand("/slash", { handler() {} }),
      (pi) => pi.registerCommand("none", {} as never),
      (pi) => pi.on("agent_start", undefined as never),
    ];
    await using harness = await startExtensions([], { inline: wrong as ExtensionFactory[] });
    expect(harness.host.faults.map(({ event }) => event)).toEqual(["load", "load", "load", "load"]);
  });
});

describe("messages", () => {
  test("sendUserMessage starts a run if idle, needs deliverAs if busy, and runs commands", async () => {
    const { promise: hold, resolve } = Promise.withResolvers<void>();
    const { factory, pi } = exposed();
    const ran: string[] = [];
    await using harness = await startExtensions(
      [[{ wait: hold }, { text: "one" }], [{ text: "two" }], [{ text: "three" }]],
      {
        inline: [
          factory,
          (own) => own.registerCommand("c", { handler: (args, ctx) => void ran.push(`${args} ${ctx.isIdle()}`) }),
        ],
      },
    );
    const settled = nextEvent(harness.session, "agent_settled");
    const started = nextEvent(harness.session, "agent_start");
    pi().sendUserMessage("first");
    await started;
    expect(() => pi().sendUserMessage("second")).toThrow("The agent is busy");
    pi().sendUserMessage("second", { deliverAs: "steer" });
    pi().sendUserMessage("third", { deliverAs: "followUp" });
    pi().sendUserMessage("/c at-once");
    pi().sendUserMessage("/c afterwards", { deliverAs: "followUp" });
    await Bun.sleep(0);
    expect(ran).toEqual(["at-once false"]);
    resolve();
    await settled;
    await Bun.sleep(0);
    expect(ran).toEqual(["at-once false", "afterwards true"]);
    expect(show(harness.session.messages).filter((line) => line.startsWith("user"))).toEqual([
      "user: first",
      "user: second",
      "user: third",
    ]);
    expect(harness.host.faults).toEqual([]);
  });

  test("sendMessage appends, queues, waits for the next prompt, or starts a run", async () => {
    const { factory, pi } = exposed();
    await using harness = await startExtensions([[{ text: "one" }], [{ text: "two" }]], { inline: [factory] });
    const note = (content: string) => ({ customType: "note", content, display: true });
    pi().sendMessage(note("alone"));
    pi().sendMessage(note("next"), { deliverAs: "nextTurn" });
    expect(harness.requests).toHaveLength(0);
    await harness.prompt("go");
    const settled = nextEvent(harness.session, "agent_settled");
    pi().sendMessage(note("answer this"), { triggerTurn: true });
    await settled;
    expect(show(harness.session.messages)).toEqual([
      "custom: alone",
      "user: go",
      "custom: next",
      "assistant: one",
      "custom: answer this",
      "assistant: two",
    ]);
  });

  test("an invalid message is a fault of the extension", async () => {
    const { factory, pi } = exposed();
    await using harness = await startExtensions([], { inline: [factory] });
    harness.host.sendCustomMessage = () => Promise.reject(new Error("no model"));
    harness.host.sendUserMessage = () => Promise.reject(new Error("no key"));
    pi().sendMessage({ customType: "t", content: "c", display: true });
    pi().sendUserMessage("text");
    await Bun.sleep(0);
    expect(harness.host.faults).toEqual([
      { path: "<inline:1>", event: "send_message", error: "no model" },
      { path: "<inline:1>", event: "send_message", error: "no key" },
    ]);
  });
});

describe("the rest of the API", () => {
  test("exposes the session, tools, model and thinking level", async () => {
    const { factory, pi } = exposed();
    const selected: string[] = [];
    await using harness = await startExtensions([], {
      inline: [
        factory,
        (own) => {
          own.on("model_select", ({ model, previousModel, source }) =>
            selected.push(`${previousModel?.id} ${model.id} ${source}`),
          );
        },
      ],
    });
    pi().setSessionName("Named");
    pi().appendEntry("state", { count: 1 });
    expect(pi().getSessionName()).toBe("Named");
    expect(harness.session.manager.entries().at(-1)).toMatchObject({ customType: "state", data: { count: 1 } });
    expect(() => pi().setLabel("nowhere", "x")).toThrow();
    pi().setActiveTools(["read", "nonsense"]);
    expect(pi().getActiveTools()).toEqual(["read"]);
    expect(harness.host.warnings).toEqual(["setActiveTools: there is no tool nonsense (<inline:1>)"]);
    expect(harness.session.tooling.view.active.map(({ name }) => name)).toEqual(["read", "call_late_tool"]);
    const small = harness.host.modelRegistry.find("acme", "small")!;
    expect(await pi().setModel(small)).toBe(true);
    expect(await pi().setModel({ ...small, id: "unknown" })).toBe(false);
    await harness.runner.observed();
    expect(selected).toEqual(["large small set"]);
    expect(pi().getThinkingLevel()).toBe(harness.session.thinkingLevel);
    expect(pi().getCommands()).toEqual([]);
  });

  test("queues providers until the session exists and forwards later ones immediately; an invalid one is a fault", async () => {
    const { factory, pi } = exposed();
    await using harness = await startExtensions([], {
      inline: [
        factory,
        (own) => {
          own.registerProvider("early", { baseUrl: "http://a" });
          own.registerProvider("dropped", { baseUrl: "http://b" });
          own.unregisterProvider("dropped");
          own.registerProvider("bad", { baseUrl: "nonsense" });
        },
      ],
    });
    expect([...harness.host.providers.keys()]).toEqual(["early"]);
    expect(harness.host.faults).toEqual([
      { path: "<inline:2>", event: "registerProvider", error: "providers.bad.baseUrl must be an http or https URL" },
    ]);
    pi().registerProvider("late", { baseUrl: "http://c" });
    pi().unregisterProvider("early");
    expect([...harness.host.providers.keys()]).toEqual(["late"]);
  });

  test("adds staged changes to the pending previews", async () => {
    const { factory, pi } = exposed();
    await using harness = await startExtensions([], { inline: [factory] });
    pi().pushPendingAction({ label: "Rename", apply: async () => ({ content: [{ type: "text", text: "done" }] }) });
    expect(harness.session.tooling.previews.list()).toMatchObject([{ label: "Rename", sourceToolName: "extension" }]);
  });

  test("dialogs return their defaults when there is no user to ask", async () => {
    const answers: unknown[] = [];
    const ask: ExtensionFactory = (pi) =>
      pi.registerCommand("ask", {
        async handler(_args, { ui, hasUI }) {
          answers.push(
            hasUI,
            await ui.select("s", ["a"]),
            await ui.confirm("c", ""),
            await ui.input("i"),
            ui.theme.fg("x", "t"),
          );
        },
      });
    await using alone = await startExtensions([], { inline: [ask] });
    await alone.prompt("/ask");
    await using asked = await startExtensions([], {
      inline: [ask],
      ui: recordingUi({ select: () => "a", confirm: () => true, input: () => "i" }),
    });
    await asked.prompt("/ask");
    expect(answers).toEqual([false, undefined, false, undefined, "t", true, "a", true, "i", "t"]);
  });

  test("each extension has its own flags", async () => {
    const { factory, pi } = exposed();
    const flags = new Map<string, string | true>([
      ["level", "high"],
      ["other", true],
    ]);
    await using harness = await startExtensions([], {
      inline: [factory, (own) => own.registerFlag("other", { type: "boolean" })],
      flags,
    });
    pi().registerFlag("level", { type: "string", default: "low" });
    expect([pi().getFlag("level"), pi().getFlag("other")]).toEqual(["high", undefined]);
    expect([...harness.runner.flagTypes.keys()].sort()).toEqual(["level", "other"]);
  });

  test.each([
    [{ type: "boolean" }, undefined, undefined],
    [{ type: "boolean", default: true }, undefined, true],
    [{ type: "boolean" }, true, true],
    [{ type: "boolean" }, "off", false],
    [{ type: "boolean" }, "yes", true],
    [{ type: "string", default: "d" }, undefined, "d"],
    [{ type: "string", default: "d" }, true, "d"],
    [{ type: "string" }, "v", "v"],
  ] as const)("parses flag %j given %p to %p", (flag, given, value) => {
    expect(flagValue(flag, given)).toBe(value);
  });
});

describe("createEventBus", () => {
  test("a failing listener does not stop the others, and a listener can unsubscribe", async () => {
    const seen: unknown[] = [];
    const faults: string[] = [];
    const bus = createEventBus((channel, error) => faults.push(`${channel} ${(error as Error).message}`));
    bus.on("a", () => {
      throw new Error("at once");
    });
    bus.on("a", () => Promise.reject(new Error("later")));
    const leave = bus.on("a", (data) => seen.push(data));
    bus.emit("a", 1);
    bus.emit("b", 2);
    leave();
    bus.emit("a", 3);
    await Bun.sleep(0);
    expect(seen).toEqual([1]);
    expect(faults.sort()).toEqual(["a at once", "a at once", "a later", "a later"]);
  });

  test("attributes a listener's fault to its extension", async () => {
    const { factory, pi } = exposed();
    await using harness = await startExtensions([], {
      inline: [factory, (own) => void own.events.on("news", () => Promise.reject(new Error("bad news")))],
    });
    pi().events.emit("news");
    await Bun.sleep(0);
    expect(harness.host.faults).toEqual([{ path: "<inline:2>", event: "events:news", error: "bad news" }]);
  });
});
