import { describe, expect, test } from "bun:test";
import { offlineModel } from "@pintle/ai";
import type { ExtensionFactory } from "../../../src/extensibility/api/extension-types.ts";
import { startExtensions } from "../../support/extensibility/extensions/harness.ts";
import { recordingUi } from "../../support/extensibility/extensions/recording-ui.ts";
import { show } from "../../support/session/test-session.ts";

// Additions to pi's extension API up to version 1.5.

const done = [[{ text: "done" }]];

describe("requests to providers", () => {
  const answering = (seen: unknown[]) => async (_url: string | URL | Request, init: RequestInit) => {
    seen.push(Object.fromEntries(new Headers(init.headers)));
    return new Response('event: a\ndata: {"n":1}\n\ndata: {"n":2}\n\ndata: [DONE]\n\n', { status: 200 });
  };

  test("before_provider_headers changes, adds and removes headers; a handler that returns invalid ones is reported", async () => {
    const seen: unknown[] = [];
    const extension: ExtensionFactory = (pi) => {
      pi.on("before_provider_headers", ({ headers }) => {
        headers["x-trace"] = "1";
        headers["x-gone"] = null;
      });
      pi.on("before_provider_headers", ({ headers }) => void Object.assign(headers, { "x-trace": 5 }));
    };
    await using harness = await startExtensions(done, { inline: [extension] });
    const fetch = harness.runner.wrapFetch(answering(seen) as never);
    await fetch("http://provider.invalid", { body: "{}", headers: { "x-gone": "y", "x-kept": "z" } });
    expect(seen).toEqual([{ "x-kept": "z", "x-trace": "1" }]);
    expect(harness.host.faults).toMatchObject([{ event: "before_provider_headers" }]);
  });

  test("provider_stream_event receives each event of a response, which stays unchanged", async () => {
    const data: unknown[] = [];
    await using harness = await startExtensions(done, {
      inline: [(pi) => pi.on("provider_stream_event", (event) => void data.push([event.model, event.data]))],
    });
    const fetch = harness.runner.wrapFetch(answering([]) as never);
    const response = await fetch("http://provider.invalid", { body: "{}" });
    expect(await response.text()).toEndWith("data: [DONE]\n\n");
    await harness.runner.observed();
    expect(data).toEqual([
      ["large", { n: 1 }],
      ["large", { n: 2 }],
    ]);
  });
});

describe("runs", () => {
  test("agent_before_settle adds entries, and a message that the model answers in the same run", async () => {
    let asked = 0;
    await using harness = await startExtensions([...done, [{ text: "really done" }]], {
      inline: [
        (pi) =>
          pi.on("agent_before_settle", ({ outcome }) => {
            asked += 1;
            if (asked > 1) return undefined;
            const message = {
              type: "custom_message" as const,
              customType: "check",
              content: `${outcome}?`,
              display: true,
            };
            return { entries: [{ type: "custom", customType: "mark", data: 1 }, message], continue: true };
          }),
      ],
    });
    await harness.prompt("go");
    expect([asked, harness.requests.length]).toEqual([2, 2]);
    expect(show(harness.session.messages).at(-1)).toContain("really done");
    expect(JSON.stringify(harness.session.manager.entries())).toContain('"customType":"mark"');
    expect(harness.events.filter(({ type }) => type === "agent_end")).toHaveLength(1);
  });

  test("an invalid result of agent_before_settle is reported, and the run ends", async () => {
    await using harness = await startExtensions(done, {
      inline: [
        (pi) => pi.on("agent_before_settle", () => ({ continue: true })),
        (pi) => pi.on("agent_before_settle", () => ({ entries: [{ type: "compaction" }] as never })),
      ],
    });
    await harness.prompt("go");
    expect(harness.requests).toHaveLength(1);
    expect(harness.host.faults.map(({ event }) => event)).toEqual(["agent_before_settle", "agent_before_settle"]);
  });

  test("context_with_system shows the system prompt and changes the other messages", async () => {
    const first: unknown[] = [];
    await using harness = await startExtensions(done, {
      inline: [
        (pi) =>
          pi.on("context_with_system", ({ messages }) => {
            first.push(messages[0]!.role);
            const user = { role: "user" as const, content: [{ type: "text" as const, text: "changed" }], timestamp: 1 };
            return { messages: [{ role: "system", content: "other" }, user] };
          }),
      ],
    });
    await harness.prompt("go");
    expect(first).toEqual(["system"]);
    const [request] = harness.requests;
    expect(JSON.stringify(request!.context.messages)).toContain("changed");
    expect(request!.context.systemPrompt).not.toBe("other");
  });

  test("dialogs, names and failed compactions emit events; on() returns a function that unsubscribes", async () => {
    const seen: unknown[] = [];
    const ui = recordingUi();
    ui.confirm = async () => true;
    let stop = () => {};
    await using harness = await startExtensions(done, {
      ui,
      inline: [
        (pi) => {
          pi.on("ui_prompt_start", ({ kind, title }) => void seen.push(["start", kind, title]));
          pi.on("ui_prompt_end", ({ kind }) => void seen.push(["end", kind]));
          stop = pi.on("session_info_changed", ({ name }) => void seen.push(["name", name]));
          pi.on("session_compact_failed", ({ reason, aborted }) => void seen.push(["failed", reason, aborted]));
          pi.on("agent_start", async (_event, ctx) => void (await ctx.ui.confirm("Sure?", "")));
        },
      ],
    });
    await harness.prompt("go");
    harness.session.conversation.rename("mine");
    await harness.runner.observed();
    stop();
    harness.session.conversation.rename("other");
    harness.runner.observe({ type: "compaction_end", reason: "manual", result: null, aborted: true, willRetry: false });
    await harness.runner.observed();
    expect(seen).toEqual([
      ["start", "confirm", "Sure?"],
      ["end", "confirm"],
      ["name", "mine"],
      ["failed", "manual", true],
    ]);
  });
});

describe("registrations", () => {
  test("a virtual model routes each request to a model that the session knows", async () => {
    const routed: unknown[] = [];
    const extension: ExtensionFactory = (pi) => {
      pi.registerVirtualModel({
        provider: "routers",
        id: "best",
        name: "Best",
        route: ({ model }) => {
          routed.push(model.id);
          return { model: offlineModel };
        },
      });
      const taken = { provider: "anthropic", id: "x", name: "X", route: () => ({ model: offlineModel }) };
      expect(() => pi.registerVirtualModel(taken)).toThrow("models of its own");
      expect(() => pi.registerVirtualModel({ ...taken, provider: "p", route: "x" as never })).toThrow("route");
    };
    const { streamModel } = await import("@pintle/ai");
    await using harness = await startExtensions([], { inline: [extension], stream: streamModel });
    expect(await harness.session.models.discoverAndSet("routers", "best")).toMatchObject({ id: "best" });
    await harness.prompt("help");
    expect(routed).toEqual(["best"]);
    expect(harness.session.messages.at(-1)).toMatchObject({ role: "assistant", stopReason: "stop" });
  });

  test("a route receives the reason for the call, the last model, and its last result on this branch", async () => {
    const asked: unknown[] = [];
    const extension: ExtensionFactory = (pi) => {
      pi.registerVirtualModel({
        provider: "routers",
        id: "best",
        name: "Best",
        route: ({ reason, previous, state }) => {
          asked.push([reason, previous?.model.id, state]);
          return { model: offlineModel, state: { count: Number(Object(state).count ?? 0) + 1 } };
        },
      });
    };
    const { streamModel } = await import("@pintle/ai");
    await using harness = await startExtensions([], { inline: [extension], stream: streamModel });
    await harness.session.models.discoverAndSet("routers", "best");
    await harness.prompt("call ls {}");
    await harness.prompt("help");
    expect(asked).toEqual([
      ["user", undefined, undefined],
      ["continuation", offlineModel.id, { count: 1 }],
      ["user", offlineModel.id, { count: 2 }],
    ]);
    expect(harness.host.faults).toEqual([]);
  });

  test("ctx.modelRegistry calls models with the session's credentials, and throws for unsupported methods", async () => {
    const results: unknown[] = [];
    const extension: ExtensionFactory = (pi) => {
      pi.registerProvider("echo", {
        baseUrl: "http://echo.invalid",
        apiKey: "none",
        api: "openai-completions",
        models: [{ id: "echo", name: "Echo", reasoning: false, contextWindow: 1_000, maxTokens: 100 }],
        async *streamSimple(_model, { messages }) {
          const content = [{ type: "text", text: JSON.stringify(messages.at(-1)?.content) }];
          yield {
            type: "done",
            reason: "stop",
            message: { role: "assistant", content, stopReason: "stop", timestamp: 1 },
          };
        },
      });
      pi.on("session_start", async (_event, { modelRegistry: models }) => {
        const echo = models.find("echo", "echo")!;
        const context = { messages: [{ role: "user" as const, content: "hi", timestamp: 1 }] };
        const { content } = await models.complete(echo, context, { reasoningEffort: "high" });
        const events: string[] = [];
        for await (const { type } of models.stream(echo, context)) events.push(type);
        results.push(content, events.at(-1), models.findOfType("classifier", "typesafe", "jev-latest"));
        results.push(models.findOfType("chat", "echo", "echo") === echo, models.getProviderAuthStatus("echo"));
        expect(() => models.classify()).toThrow('"classify" is not available in pintle');
      });
    };
    await using harness = await startExtensions(done, { inline: [extension] });
    await harness.runner.observed();
    expect(harness.host.faults).toEqual([]);
    expect(results).toEqual([[{ type: "text", text: '"hi"' }], "done", undefined, true, { configured: true }]);
  });

  test("ctx.sessionManager exposes the tree and the entries that the model receives", async () => {
    const seen: unknown[] = [];
    await using harness = await startExtensions(done, {
      inline: [
        (pi) =>
          pi.on("agent_end", (_event, { sessionManager }) => {
            seen.push(
              sessionManager.buildContextEntries().map(({ type }) => type),
              sessionManager.getTree().length,
            );
            expect(() => sessionManager.buildSessionProjection()).toThrow("not available in pintle");
          }),
      ],
    });
    await harness.prompt("go");
    expect(seen).toEqual([["message", "message"], 1]);
    expect(harness.host.faults).toEqual([]);
  });

  test("MCP servers of extensions: the first one keeps a name, changes emit events, an invalid one is reported", async () => {
    const changes: unknown[] = [];
    let late = () => {};
    const first: ExtensionFactory = (pi) => {
      pi.registerMcpServer("docs", { url: "http://127.0.0.1:9/mcp", enabled: false });
      pi.on("mcp_servers_change", ({ servers }) => void changes.push(servers.map(({ name }) => name)));
      late = () => pi.registerMcpServer("bad name!", {});
    };
    const second: ExtensionFactory = (pi) => {
      pi.on("session_start", () => {
        expect(() => pi.registerMcpServer("docs", {})).toThrow("already registered");
        expect(pi.getMcpServers().map(({ name }) => name)).toEqual(["docs"]);
      });
    };
    await using harness = await startExtensions(done, { inline: [first, second] });
    late();
    await harness.runner.observed();
    expect(changes).toEqual([["docs", "bad name!"]]);
    for (let i = 0; i < 100 && harness.host.faults.length === 0; i += 1) await Bun.sleep(5);
    expect(harness.host.faults.map(({ event }) => event)).toEqual(["registerMcpServer"]);
  });

  test("settings are a copy, and drawing methods are accepted", async () => {
    let enabled: unknown;
    await using harness = await startExtensions(done, {
      settings: { "compaction.enabled": false },
      inline: [
        (pi) => {
          pi.registerToolRenderer(() => undefined);
          pi.registerMarkdownTransformer((text: string) => text);
          pi.on("session_start", (_event, ctx) => {
            enabled = [Object(pi.getSettings().compaction).enabled, ctx.mode, ctx.thinkingLevel];
          });
        },
      ],
    });
    expect(enabled).toEqual([false, "print", "off"]);
    expect(harness.host.faults).toEqual([]);
  });
});
