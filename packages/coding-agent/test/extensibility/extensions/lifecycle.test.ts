import { describe, expect, test } from "bun:test";
import type {
  ExtensionAPI,
  ExtensionCommandContext,
  ExtensionContext,
} from "../../../src/extensibility/api/extension-types.ts";
import { NOT_READY_TEXT, STALE_TEXT } from "../../../src/extensibility/extensions/extension-instance.ts";
import { HANDLER_LIMITS } from "../../../src/extensibility/hooks/call-handler.ts";
import { startExtensions } from "../../support/extensibility/extensions/harness.ts";
import { recordingUi } from "../../support/extensibility/extensions/recording-ui.ts";
import { moduleFolder } from "../../support/extensibility/module-folder.ts";
import { forever, nextEvent, show } from "../../support/session/test-session.ts";

const ACTIONS: Record<string, (pi: ExtensionAPI) => unknown> = {
  sendMessage: (pi) => pi.sendMessage({ customType: "t", content: "c", display: true }),
  sendUserMessage: (pi) => pi.sendUserMessage("text"),
  appendEntry: (pi) => pi.appendEntry("t"),
  setSessionName: (pi) => pi.setSessionName("n"),
  getSessionName: (pi) => pi.getSessionName(),
  setLabel: (pi) => pi.setLabel("id", "label"),
  getActiveTools: (pi) => pi.getActiveTools(),
  getAllTools: (pi) => pi.getAllTools(),
  setActiveTools: (pi) => pi.setActiveTools([]),
  getCommands: (pi) => pi.getCommands(),
  setModel: (pi) => pi.setModel({} as never),
  getThinkingLevel: (pi) => pi.getThinkingLevel(),
  setThinkingLevel: (pi) => pi.setThinkingLevel("high"),
  pushPendingAction: (pi) => pi.pushPendingAction({ label: "l", apply: async () => ({ content: [] }) } as never),
};

describe("loading", () => {
  test("action methods throw while extensions load", async () => {
    const thrown: Record<string, unknown> = {};
    await using harness = await startExtensions([], {
      inline: [
        async (pi) => {
          for (const [name, act] of Object.entries(ACTIONS)) {
            try {
              await act(pi);
            } catch (error) {
              thrown[name] = (error as Error).message;
            }
          }
        },
      ],
    });
    expect(thrown).toEqual(Object.fromEntries(Object.keys(ACTIONS).map((name) => [name, NOT_READY_TEXT])));
    expect(harness.host.faults).toEqual([]);
  });

  test("a factory may run programs, read its flags, name itself and use the bus", async () => {
    const seen: unknown[] = [];
    await using _harness = await startExtensions([], {
      inline: [
        async (pi) => {
          pi.setLabel("My extension");
          pi.registerFlag("level", { type: "string", default: "low" });
          pi.events.on("greeting", (data) => seen.push(data));
          pi.events.emit("greeting", "hello");
          seen.push(pi.getFlag("level"), (await pi.exec("echo", ["one"])).stdout.trim());
        },
      ],
    });
    expect(seen).toEqual(["hello", "low", "one"]);
  });

  test("modules that cannot be loaded are reported one by one, and the others still load", async () => {
    using folder = moduleFolder();
    const files = [
      folder.write("a.ts", "export const x = 1;"),
      folder.write("b.ts", 'import "nowhere-to-be-found"; export default () => {};'),
      folder.write("c.ts", 'export default () => { throw new Error("my fault"); };'),
      folder.write("d.ts", 'export default (pi) => pi.registerCommand("d", { handler() {} });'),
    ];
    await using harness = await startExtensions([], { files });
    expect(harness.host.faults.map(({ event }) => event)).toEqual(["load", "load", "load"]);
    expect(harness.host.faults.map(({ error }) => error.split(":")[0])).toEqual([
      "No function exported",
      "Import failed",
      "Factory threw",
    ]);
    expect(harness.runner.commands().map(({ name }) => name)).toEqual(["d"]);
  });

  test("handlers run in load order, not in the order they become ready", async () => {
    const order: string[] = [];
    await using harness = await startExtensions([[{ text: "ok" }]], {
      inline: [
        async (pi) => {
          await Bun.sleep(20);
          pi.on("agent_start", () => order.push("slow"));
        },
        (pi) => {
          pi.on("agent_start", () => order.push("fast 1"));
          pi.on("agent_start", () => order.push("fast 2"));
        },
      ],
    });
    await harness.prompt("go");
    expect(order).toEqual(["slow", "fast 1", "fast 2"]);
  });

  test("a late extension is added and notified of the start; one that never loads is reported", async () => {
    const { promise: hold, resolve } = Promise.withResolvers<void>();
    const { promise: joined, resolve: join } = Promise.withResolvers<string>();
    const started: string[] = [];
    await using harness = await startExtensions([[{ call: "late" }], [{ text: "ok" }]], {
      inline: [
        (pi) => pi.on("session_start", ({ reason }) => void started.push(reason)),
        async (pi) => {
          await hold;
          pi.registerTool({
            name: "late",
            description: "comes late",
            parameters: pi.typebox.Type.Object({}),
            execute: async () => ({ content: [{ type: "text", text: "here now" }] }),
          });
          pi.on("session_start", ({ reason }) => join(reason));
        },
        () => forever,
      ],
      loadLimits: { readyMs: 20, giveUpMs: 2_000 },
    });
    expect(harness.host.extensionTools).toEqual([]);
    resolve();
    expect(await joined).toBe("startup");
    await harness.prompt("go");
    expect(show(harness.session.messages)).toContain("toolResult: here now");
    while (harness.host.faults.length === 0) await Bun.sleep(5);
    expect(harness.host.faults).toEqual([{ path: "<inline:3>", event: "load", error: "Still loading after 2 s" }]);
    expect(started).toEqual(["startup"]);
  });
});

describe("another session", () => {
  test("the factories run again, old objects become stale, and the new ones receive the reason for the start", async () => {
    const seen: string[] = [];
    const kept: { pi: ExtensionAPI; ctx?: ExtensionContext }[] = [];
    await using harness = await startExtensions([[{ text: "hi" }]], {
      inline: [
        (pi) => {
          const own: (typeof kept)[number] = { pi };
          const number = kept.push(own);
          const tell = (text: string) => void seen.push(`${number} ${text}`);
          pi.on("session_start", ({ reason, previousSessionFile }, ctx) => {
            own.ctx = ctx;
            tell(`start ${reason} ${previousSessionFile !== undefined}`);
          });
          pi.on("session_switch", ({ reason }) => tell(`switch ${reason}`));
          pi.on("session_branch", () => tell("branch"));
          pi.on("session_shutdown", ({ reason }) => tell(`shutdown ${reason}`));
          pi.registerCommand("who", { handler: () => tell("is here") });
        },
      ],
    });
    await harness.prompt("hello");
    await harness.prompt("/who");
    const file = harness.session.sessionFile!;
    const [entry] = harness.session.manager.userMessages();
    await harness.session.changes.branch(entry!.entryId);
    await harness.session.changes.newSession();
    await harness.session.changes.switchSession(file);
    await harness.runner.observed();
    await harness.prompt("/who");
    expect(seen).toEqual([
      "1 start startup false",
      "1 is here",
      "1 shutdown fork",
      "2 start fork true",
      "2 branch",
      "2 shutdown new",
      "3 start new true",
      "3 switch new",
      "3 shutdown resume",
      "4 start resume true",
      "4 switch resume",
      "4 is here",
    ]);
    const [{ pi, ctx }] = kept as [(typeof kept)[number]];
    for (const act of Object.values(ACTIONS)) await expect((async () => act(pi))()).rejects.toThrow(STALE_TEXT);
    expect(() => pi.on("agent_start", () => {})).toThrow(STALE_TEXT);
    await expect(pi.exec("true")).rejects.toThrow(STALE_TEXT);
    expect(() => pi.events.emit("x")).toThrow(STALE_TEXT);
    for (const name of ["ui", "cwd", "sessionManager", "model", "hasUI"] as const) {
      expect(() => ctx![name]).toThrow(STALE_TEXT);
    }
    expect(() => ctx!.abort()).toThrow(STALE_TEXT);
    expect(kept[3]!.pi.getSessionName()).toBeUndefined();
    expect(harness.host.faults).toEqual([]);
  });

  test("a command opens sessions and continues in the new one", async () => {
    const seen: unknown[] = [];
    await using harness = await startExtensions([[{ text: "hi" }], [{ text: "there" }]], {
      inline: [
        (pi) =>
          pi.registerCommand("again", {
            async handler(_args, ctx) {
              const outcome = await ctx.newSession({
                async withSession(next) {
                  seen.push(next.sessionManager.getSessionId() !== before, next.isIdle());
                  await next.sendMessage({ customType: "note", content: "carried over", display: true });
                  await next.sendUserMessage("go on here");
                },
              });
              seen.push(outcome);
            },
          }),
      ],
    });
    await harness.prompt("hello");
    const before = harness.session.sessionId;
    const settled = nextEvent(harness.session, "agent_settled");
    await harness.prompt("/again");
    await settled;
    expect(seen).toEqual([true, true, { cancelled: false }]);
    expect(show(harness.session.messages)).toEqual(["custom: carried over", "user: go on here", "assistant: there"]);
    expect(harness.host.faults).toEqual([]);
  });

  test("a cancelled switch changes nothing, and the first refusal stops the remaining handlers", async () => {
    const seen: string[] = [];
    let ctx: ExtensionCommandContext | undefined;
    await using harness = await startExtensions([[{ text: "hi" }]], {
      inline: [
        (pi) => {
          pi.on("session_before_switch", ({ reason, targetSessionFile }) => {
            seen.push(`${reason} ${targetSessionFile ?? ""}`.trim());
            return { cancel: true };
          });
          pi.registerCommand("ctx", {
            handler(_args, own) {
              ctx = own;
            },
          });
        },
        (pi) => pi.on("session_before_switch", () => void seen.push("not reached")),
        // The older name of the same event.
        (pi) => pi.on("session_before_branch", ({ position }) => ({ cancel: position === "before" })),
      ],
    });
    await harness.prompt("hello");
    await harness.prompt("/ctx");
    const [entry] = harness.session.manager.userMessages();
    expect(await ctx!.newSession({ withSession: () => void seen.push("not reached") })).toEqual({ cancelled: true });
    expect(await ctx!.switchSession("/other.jsonl")).toEqual({ cancelled: true });
    expect(await ctx!.fork(entry!.entryId)).toEqual({ cancelled: true });
    expect(await ctx!.branch(entry!.entryId)).toEqual({ cancelled: true });
    expect(seen).toEqual(["new", "resume /other.jsonl"]);
    expect(ctx!.isIdle()).toBe(true);
  });
});

describe("shutdown", () => {
  test("gives each extension its own time limit, in parallel, after all earlier events", async () => {
    const seen: string[] = [];
    const harness = await startExtensions([[{ text: "ok" }]], {
      inline: [
        (pi) => pi.on("session_shutdown", () => forever),
        (pi) => {
          pi.on("agent_end", async () => {
            await Bun.sleep(40);
            seen.push("agent_end");
          });
          pi.on("session_shutdown", async ({ reason }) => {
            await Bun.sleep(10);
            seen.push(reason);
          });
          pi.on("session_shutdown", () => {
            throw new Error("at the very end");
          });
          pi.registerCommand("c", { handler() {} });
        },
      ],
      handlerLimits: { ...HANDLER_LIMITS, shutdownMs: 1_500 },
    });
    await harness.session.prompt("go");
    await harness[Symbol.asyncDispose]();
    expect(seen).toEqual(["agent_end", "quit"]);
    // No handler is called afterwards.
    expect(harness.runner.command("/c")).toBeUndefined();
    harness.runner.observe({ type: "agent_end", messages: [], stopReason: "stop" });
    await harness.runner.observed();
    expect(seen).toHaveLength(2);
    expect(harness.host.faults).toEqual([
      { path: "<inline:2>", event: "session_shutdown", error: "at the very end" },
      { path: "<inline:1>", event: "session_shutdown", error: "no answer within 1.5 s" },
    ]);
  });
});

describe("reload", () => {
  test("loads the modules from disk again and drops removed ones", async () => {
    using folder = moduleFolder();
    const source = (word: string) => `
      import { Type } from "typebox";
      export default (pi) => {
        pi.registerTool({ name: "${word}", description: "d", parameters: Type.Object({}), execute: async () => "${word}" });
        pi.registerCommand("${word}", { handler: async (_args, ctx) => { await ctx.reload(); } });
        pi.registerProvider("${word}", { baseUrl: "http://localhost" });
        pi.on("session_start", ({ reason }, ctx) => ctx.ui.notify("${word} " + reason));
      };`;
    const file = folder.write("ext.ts", source("one"));
    const ui = recordingUi();
    await using harness = await startExtensions([], { files: [file], ui });
    expect([...harness.host.providers.keys()]).toEqual(["one"]);
    folder.write("ext.ts", source("two"));
    await harness.prompt("/one");
    expect(harness.host.extensionTools.map(({ tool }) => tool.name)).toEqual(["two"]);
    expect(harness.runner.commands().map(({ name }) => name)).toEqual(["two"]);
    expect([...harness.host.providers.keys()]).toEqual(["two"]);
    expect(ui.shown).toEqual(["notify info one startup", "notify info two reload"]);
    folder.write("ext.ts", "export default 7;");
    await harness.prompt("/two");
    expect(harness.host.extensionTools).toEqual([]);
    expect(harness.host.providers.size).toBe(0);
    expect(harness.host.faults).toEqual([
      { path: file, event: "load", error: "No function exported: the default export must be a function" },
    ]);
  });

  test("a call that arrives during a reload is decided by the new instance", async () => {
    using folder = moduleFolder();
    const gate = (reason: string, pause = "") => `
      export default async (pi) => {
        ${pause}
        pi.on("tool_call", () => ({ block: true, reason: "${reason}" }));
      };`;
    const file = folder.write("gate.ts", gate("old gate"));
    const loaded = Promise.withResolvers<void>();
    Object.assign(globalThis, { pintleTestGate: loaded.promise });
    await using harness = await startExtensions(
      [[{ call: "write", args: { path: "a.txt", content: "x" } }], [{ text: "ok" }]],
      { files: [file] },
    );
    folder.write("gate.ts", gate("new gate", "await globalThis.pintleTestGate;"));
    let reloading: Promise<void> | undefined;
    harness.session.subscribe((event) => {
      if (event.type === "message_end" && event.message.role === "assistant") reloading ??= harness.host.reload();
      if (event.type === "tool_execution_start") setTimeout(loaded.resolve, 20);
    });
    await harness.session.prompt("go");
    await reloading;
    expect(show(harness.session.messages)[2]).toBe("toolResult(error): new gate");
  });

  test("two concurrent reloads end with the last version on disk", async () => {
    using folder = moduleFolder();
    const source = (word: string, pause = "") =>
      `export default async (pi) => { ${pause} pi.registerCommand("${word}", { handler() {} }); };`;
    const file = folder.write("ext.ts", source("one"));
    await using harness = await startExtensions([], { files: [file] });
    const running = Promise.withResolvers<void>();
    Object.assign(globalThis, { pintleTestStarted: running.resolve });
    folder.write("ext.ts", source("slow", "globalThis.pintleTestStarted(); await Bun.sleep(50);"));
    const first = harness.host.reload();
    await running.promise;
    folder.write("ext.ts", source("two"));
    await Promise.all([first, harness.host.reload()]);
    expect(harness.runner.commands().map(({ name }) => name)).toEqual(["two"]);
    expect(harness.host.faults).toEqual([]);
  });
});

test("only commands can change the session", async () => {
  const seen: unknown[] = [];
  await using harness = await startExtensions([], {
    inline: [
      (pi) => {
        const methods = (ctx: object) => ["newSession", "fork", "reload", "waitForIdle"].map((name) => name in ctx);
        pi.on("session_start", (_event, ctx) => void seen.push(...methods(ctx)));
        pi.registerCommand("c", { handler: (_args, ctx) => void seen.push(...methods(ctx), ctx.cwd === harness.cwd) });
      },
    ],
  });
  await harness.prompt("/c");
  expect(seen).toEqual([false, false, false, false, true, true, true, true, true]);
});
