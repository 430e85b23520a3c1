import { describe, expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ScriptedAnswer } from "@pintle/ai/testing";
import type { ExtensionFactory } from "../../../src/extensibility/api/extension-types.ts";
import { HANDLER_LIMITS } from "../../../src/extensibility/hooks/call-handler.ts";
import type { BashOperations } from "../../../src/tools/bash/run-command.ts";
import { startExtensions } from "../../support/extensibility/extensions/harness.ts";
import { recordingUi } from "../../support/extensibility/extensions/recording-ui.ts";
import { forever, show, violations } from "../../support/session/test-session.ts";

const calling = (call: string, args: Record<string, unknown>): ScriptedAnswer[] => [
  [{ call, args }],
  [{ text: "done" }],
];
const writing = () => calling("write", { path: "new.txt", content: "text" });
const results = (messages: Parameters<typeof show>[0]) =>
  show(messages).filter((line) => line.startsWith("toolResult"));
/** The limit for handlers that hang. */
const quick = { ...HANDLER_LIMITS, usualMs: 30, messageEndMs: 30 };
/**
 * The limit for handlers that finish in time apart from their dialog: their own work takes far less, even on a busy machine.
 */
const usual = { ...HANDLER_LIMITS, usualMs: 1_000, messageEndMs: 1_000 };

describe("tool_call", () => {
  test("the first block wins, and later handlers are not called", async () => {
    const asked: string[] = [];
    const block =
      (name: string, reason?: string): ExtensionFactory =>
      (pi) =>
        pi.on("tool_call", ({ toolName }) => {
          asked.push(`${name} ${toolName}`);
          return { block: true, ...(reason !== undefined && { reason }) };
        });
    await using harness = await startExtensions(writing(), { inline: [block("a"), block("b", "not reached")] });
    await harness.prompt("go");
    expect(asked).toEqual(["a write"]);
    expect(results(harness.session.messages)).toEqual(["toolResult(error): Tool execution was blocked"]);
    expect(existsSync(join(harness.cwd, "new.txt"))).toBe(false);
  });

  test.each([
    [
      "throws",
      () => {
        throw new Error("gate is broken");
      },
      "gate is broken",
    ],
    ["rejects", () => Promise.reject(new Error("gate is broken")), "gate is broken"],
    ["hangs", () => forever, "no answer within 0.03 s"],
  ] as const)("a handler that %s blocks the call", async (_how, handler, reason) => {
    await using harness = await startExtensions(writing(), {
      inline: [(pi) => pi.on("tool_call", handler)],
      handlerLimits: quick,
    });
    await harness.prompt("go");
    expect(results(harness.session.messages)).toEqual([`toolResult(error): ${reason}`]);
    expect(harness.host.faults).toEqual([{ path: "<inline:1>", event: "tool_call", error: reason }]);
    expect(existsSync(join(harness.cwd, "new.txt"))).toBe(false);
  });

  test("does not count the time in a dialog", async () => {
    const ui = recordingUi();
    ui.confirm = async () => {
      await Bun.sleep(1.5 * usual.usualMs);
      return true;
    };
    await using harness = await startExtensions(writing(), {
      inline: [
        (pi) =>
          pi.on("tool_call", async (_event, ctx) =>
            (await ctx.ui.confirm("Write?", "")) ? undefined : { block: true },
          ),
      ],
      handlerLimits: usual,
      ui,
    });
    await harness.prompt("go");
    expect(harness.host.faults).toEqual([]);
    expect(existsSync(join(harness.cwd, "new.txt"))).toBe(true);
  });

  test.each([
    [
      "in place",
      (event: { input: Record<string, unknown> }) => {
        event.input.path = "other.txt";
      },
    ],
    [
      "by its answer",
      (event: { input: Record<string, unknown> }) => ({ input: { ...event.input, path: "other.txt" } }),
    ],
    [
      "by another object",
      (event: { input: Record<string, unknown> }) => {
        event.input = { path: "other.txt", content: "text" };
      },
    ],
  ] as const)("a call runs with arguments changed %s, and history keeps what the model sent", async (_how, change) => {
    const seen: unknown[] = [];
    await using harness = await startExtensions(writing(), {
      inline: [
        (pi) => pi.on("tool_call", change as never),
        (pi) => pi.on("tool_call", ({ input }) => void seen.push({ ...input })),
      ],
    });
    await harness.prompt("go");
    expect(seen).toEqual([{ path: "other.txt", content: "text" }]);
    expect(existsSync(join(harness.cwd, "other.txt"))).toBe(true);
    const [, call, result] = harness.session.messages;
    expect(JSON.stringify(call)).toContain("new.txt");
    expect(result).toMatchObject({ details: { effectiveArguments: { path: "other.txt" } } });
  });

  test("validates changed arguments again", async () => {
    await using harness = await startExtensions(writing(), {
      inline: [(pi) => pi.on("tool_call", () => ({ input: { path: 1 } as never }))],
    });
    await harness.prompt("go");
    expect(results(harness.session.messages)[0]).toStartWith("toolResult(error): ");
    expect(harness.session.messages[2]).not.toMatchObject({ details: { bytes: 4 } });
  });

  test("the session already contains the message with the call", async () => {
    let leaf = "";
    await using harness = await startExtensions(writing(), {
      inline: [
        (pi) =>
          pi.on("tool_call", (_event, ctx) => {
            leaf = JSON.stringify(ctx.sessionManager.getLeafEntry());
          }),
      ],
    });
    await harness.prompt("go");
    expect(leaf).toContain('"role":"assistant"');
    expect(leaf).toContain("new.txt");
  });
});

describe("tool_result", () => {
  test("chains patches and keeps everything else", async () => {
    await using harness = await startExtensions(calling("ls", {}), {
      inline: [
        (pi) => pi.on("tool_result", ({ content }) => ({ content: [...content, { type: "text", text: "+1" }] })),
        (pi) =>
          pi.on("tool_result", ({ content, isError }) => ({
            content: [{ type: "text", text: `${content.length} blocks, ${isError}` }],
            isError: true,
          })),
      ],
    });
    await harness.prompt("go");
    expect(results(harness.session.messages)).toEqual(["toolResult(error): 2 blocks, false"]);
  });

  test("ignores a handler that fails, hangs or returns nonsense", async () => {
    await using harness = await startExtensions(calling("ls", {}), {
      inline: [
        (pi) => pi.on("tool_result", () => ({ content: "text" }) as never),
        (pi) => pi.on("tool_result", () => forever),
      ],
      handlerLimits: quick,
    });
    await harness.prompt("go");
    expect(results(harness.session.messages)[0]).toStartWith("toolResult: ");
    expect(harness.host.faults.map(({ error }) => error)).toEqual([
      "content must be a list",
      "no answer within 0.03 s",
    ]);
  });
});

describe("context", () => {
  test("changes one request, not the conversation", async () => {
    await using harness = await startExtensions([[{ text: "one" }], [{ text: "two" }]], {
      inline: [
        (pi) =>
          pi.on("context", ({ messages }) => {
            // Changing it does not change the original.
            (messages[0] as { content: unknown }).content = "rewritten";
          }),
        (pi) => pi.on("context", ({ messages }) => ({ messages: messages.slice(-1) })),
        (pi) => pi.on("context", () => ({ messages: 7 }) as never),
      ],
    });
    await harness.prompt("first");
    await harness.prompt("second");
    expect(harness.requests.map(({ context }) => show(context.messages as never))).toEqual([
      ["user: rewritten"],
      ["user: second"],
    ]);
    expect(show(harness.session.messages)).toEqual(["user: first", "assistant: one", "user: second", "assistant: two"]);
    expect(harness.host.faults).toHaveLength(2);
  });
});

describe("message_end", () => {
  test("stores and sends the replacement, and rejects one with another role", async () => {
    await using harness = await startExtensions([[{ text: "secret" }]], {
      inline: [
        (pi) =>
          pi.on("message_end", ({ message }) =>
            message.role === "assistant"
              ? { message: { ...message, content: [{ type: "text", text: "***" }] } }
              : undefined,
          ),
        (pi) => pi.on("message_end", ({ message }) => ({ message: { ...message, role: "custom" } as never })),
        (pi) => pi.on("message_end", ({ message }) => ({ message: { role: message.role } as never })),
      ],
    });
    await harness.prompt("go");
    expect(show(harness.session.messages)).toEqual(["user: go", "assistant: ***"]);
    expect(harness.events.findLast((event) => event.type === "message_end")).toMatchObject({
      message: { content: [{ text: "***" }] },
    });
    expect(harness.host.faults.map(({ error }) => error)).toEqual([
      'the role of the message must stay "user"',
      "content must be a list",
      'the role of the message must stay "assistant"',
      "content must be a list",
    ]);
    expect(violations(harness.events)).toEqual([]);
  });

  test("all handlers share one time limit, and without an answer the message stays as it is", async () => {
    await using harness = await startExtensions([[{ text: "as it was" }]], {
      inline: [(pi) => pi.on("message_end", () => forever), (pi) => pi.on("message_end", () => forever)],
      handlerLimits: { ...quick, usualMs: 60_000 },
    });
    await harness.prompt("go");
    expect(show(harness.session.messages)).toEqual(["user: go", "assistant: as it was"]);
    expect(harness.host.faults).toHaveLength(4);
  });
});

describe("input", () => {
  test("chains transforms, with images, and a handled text does not become a prompt", async () => {
    const image = { type: "image" as const, data: "AAAA", mimeType: "image/png" };
    await using harness = await startExtensions([[{ text: "ok" }]], {
      inline: [
        (pi) =>
          pi.on("input", ({ text, source }) => ({ action: "transform", text: `${text} (${source})`, images: [image] })),
        (pi) =>
          pi.on("input", ({ text }) => (text.startsWith("stop") ? { action: "handled" } : { action: "continue" })),
        (pi) => pi.on("input", ({ text, images }) => ({ text: `${text} ${images?.length}` })),
        (pi) => pi.on("input", ({ text }) => ({ handled: text.startsWith("halt") })),
        (pi) => pi.on("input", () => ({ action: "transform", text: 7 }) as never),
      ],
    });
    for (const text of ["stop here", "halt here"]) await harness.prompt(text);
    expect(harness.requests).toHaveLength(0);
    await harness.prompt("go on");
    expect(show(harness.session.messages)[0]).toBe("user: go on (rpc) 1image");
    expect(harness.host.faults.map(({ error }) => error)).toEqual(["text must be a string"]);
  });
});

describe("before_agent_start", () => {
  test("chains the system prompt for this run, and stores all messages after the user's", async () => {
    const seen: string[] = [];
    let isOn = true;
    const add =
      (name: string): ExtensionFactory =>
      (pi) =>
        pi.on("before_agent_start", ({ systemPrompt, prompt, systemPromptOptions }) => {
          seen.push(prompt, String((systemPromptOptions.selectedTools as string[]).includes("read")));
          return isOn
            ? {
                systemPrompt: `${systemPrompt} +${name}`,
                message: { customType: "note", content: `note of ${name}`, display: false },
              }
            : undefined;
        });
    await using harness = await startExtensions([[{ text: "1" }], [{ text: "2" }]], {
      inline: [add("a"), add("b"), (pi) => pi.on("before_agent_start", () => ({ systemPrompt: 7 }) as never)],
    });
    await harness.prompt("one");
    isOn = false;
    await harness.prompt("two");
    const prompts = harness.requests.map(({ context }) => context.systemPrompt ?? "");
    expect(prompts[0]).toEndWith(" +a +b");
    expect(prompts[1]).not.toContain("+a");
    expect(seen.slice(0, 2)).toEqual(["one", "true"]);
    expect(harness.session.messages[1]).toMatchObject({ display: false, customType: "note" });
    expect(show(harness.session.messages).slice(0, 3)).toEqual(["user: one", "custom: note of a", "custom: note of b"]);
  });
});

describe("requests to a provider", () => {
  test("the body can be replaced or modified; status and headers are forwarded", async () => {
    const bodies: unknown[] = [];
    using server = Bun.serve({
      port: 0,
      async fetch(request) {
        bodies.push(await request.json());
        return new Response("data: [DONE]\n\n", { status: 429, headers: { "X-Limit": "1" } });
      },
    });
    const told: unknown[] = [];
    await using harness = await startExtensions([], {
      inline: [
        (pi) => pi.on("before_provider_request", ({ payload }) => void Object.assign(payload as object, { a: 1 })),
        (pi) => pi.on("before_provider_request", ({ payload }) => ({ ...(payload as object), b: 2 })),
        (pi) => pi.on("before_provider_request", () => Promise.reject(new Error("no"))),
        (pi) => pi.on("after_provider_response", ({ status, headers }) => void told.push(status, headers["x-limit"])),
      ],
    });
    const send = harness.runner.wrapFetch(fetch);
    await send(String(server.url), { method: "POST", body: JSON.stringify({ model: "m" }) });
    await harness.runner.observed();
    expect(bodies).toEqual([{ model: "m", a: 1, b: 2 }]);
    expect(told).toEqual([429, "1"]);
    expect(harness.host.faults.map(({ error }) => error)).toEqual(["no"]);
  });

  test("returns the same function when there are no listeners", async () => {
    await using harness = await startExtensions([], { inline: [() => {}] });
    expect(harness.runner.wrapFetch(fetch)).toBe(fetch);
  });
});

test("message_end: time that one handler spends in a dialog is not deducted from the next", async () => {
  const ui = recordingUi({ confirm: () => true });
  const confirm = ui.confirm;
  ui.confirm = async (...args) => {
    await Bun.sleep(1.5 * usual.messageEndMs);
    return confirm(...args);
  };
  await using harness = await startExtensions([[{ text: "done" }]], {
    ui,
    handlerLimits: usual,
    inline: [
      (pi) => pi.on("message_end", async (_event, ctx) => void (await ctx.ui.confirm("a", "b"))),
      (pi) =>
        pi.on("message_end", async ({ message }) => {
          await null;
          return message.role === "assistant"
            ? { message: { ...message, content: [{ type: "text", text: "new" }] } }
            : undefined;
        }),
    ],
  });
  await harness.prompt("go");
  expect([harness.host.faults, show(harness.session.messages)]).toEqual([[], ["user: go", "assistant: new"]]);
});

describe("user_bash", () => {
  test("the first answer wins", async () => {
    const command = { command: "pwd", excludeFromContext: false, cwd: "/" };
    const operations = { exec: async () => ({ exitCode: 7 }) };
    const result = { output: "mine", cancelled: false } as never;
    await using harness = await startExtensions([], {
      inline: [
        (pi) => pi.on("user_bash", () => ({ operations: { exec: 1 } }) as never),
        (pi) => pi.on("user_bash", ({ command: text }) => (text === "pwd" ? { operations } : { result })),
        (pi) => pi.on("user_bash", () => ({ result: { output: "late" } as never })),
      ],
    });
    const first = (await harness.runner.userBash(command)) as { operations: BashOperations };
    expect(await first.operations.exec("pwd", "/", { onData() {} })).toEqual({ exitCode: 7 });
    expect(await harness.runner.userBash({ ...command, command: "ls" })).toEqual({
      result: {
        output: "mine",
        cancelled: false,
        truncated: false,
        totalLines: 1,
        totalBytes: 4,
        outputLines: 1,
        outputBytes: 4,
      },
    });
  });
});

test("hooks without a handler are undefined", async () => {
  await using harness = await startExtensions([], { inline: [(pi) => pi.on("tool_call", () => undefined)] });
  const { context, toolCall, toolResult, messageEnd } = harness.runner.loop;
  expect([context, toolResult, messageEnd]).toEqual([undefined, undefined, undefined]);
  expect(toolCall).toBeFunction();
});

test("a slow observer delays neither the run nor the disk", async () => {
  const { promise: hold, resolve } = Promise.withResolvers<void>();
  const seen: string[] = [];
  await using harness = await startExtensions([[{ text: "done" }]], {
    inline: [
      (pi) =>
        pi.on("agent_start", async () => {
          await hold;
        }),
      (pi) => pi.on("agent_end", ({ stopReason }) => void seen.push(stopReason)),
    ],
  });
  await harness.session.prompt("go");
  expect(seen).toEqual([]);
  writeFileSync(join(harness.cwd, "seen"), "");
  expect(show(harness.session.messages)).toEqual(["user: go", "assistant: done"]);
  resolve();
  await harness.runner.observed();
  expect(seen).toEqual(["stop"]);
});
