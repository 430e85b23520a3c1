import { describe, expect, test } from "bun:test";
import { callsTools, says } from "../support/scenarios/chat-server.ts";
import { type ExtensionRun, type Situation, withExtensions } from "../support/scenarios/extensions/with-extensions.ts";
import type { Frame } from "../support/scenarios/rpc-child.ts";

// Tests every dialog, and every way in which it can end, in the built program.

interface Dialog {
  /** What the extension calls; `o` are its options. */
  call: string;
  /** What the host receives. */
  shown: object;
  answer: Frame;
  given: unknown;
  /** The outcome of everything except an answer. */
  none: unknown;
}

const DIALOGS: Record<string, Dialog> = {
  select: {
    call: `ctx.ui.select("Title", ["a", { label: "b", description: "second" }], o)`,
    shown: { title: "Title", options: ["a", "b"], optionDetails: [{}, { description: "second" }] },
    answer: { value: "elsewhere" },
    given: "elsewhere",
    none: null,
  },
  confirm: {
    call: `ctx.ui.confirm("Title", "Message", o)`,
    shown: { title: "Title", message: "Message" },
    answer: { confirmed: true },
    given: true,
    none: false,
  },
  input: {
    call: `ctx.ui.input("Title", "here", o)`,
    shown: { title: "Title", placeholder: "here" },
    answer: { value: "" },
    given: "",
    none: null,
  },
  editor: {
    call: `ctx.ui.editor("Title", "text", { ...o, promptStyle: true })`,
    shown: { title: "Title", prefill: "text", promptStyle: true },
    answer: { value: "new\ntext" },
    given: "new\ntext",
    none: null,
  },
};
const METHODS = Object.keys(DIALOGS);

/**
 * `/ask METHOD WORDS…` and the tool `work` open dialogs and record the outcome, because a stale `ctx` could not report
 * it.
 */
const ASKER = `
  const dialogs = { ${METHODS.map((method) => `${method}: (ctx, o) => ${DIALOGS[method]!.call}`).join(", ")} };
  const stop = new AbortController();
  async function ask(method, words, ctx) {
    const signal = words.includes("signal") ? stop.signal : words.includes("aborted") ? AbortSignal.abort() : undefined;
    const timeout = words.includes("timeout") ? 20.5 : undefined;
    note("answer", await dialogs[method](ctx, { signal, timeout, onTimeout: () => note("onTimeout", method) }));
  }
  pi.registerCommand("ask", { handler: (args, ctx) => { const [method, ...words] = args.split(" "); return ask(method, words, ctx); } });
  pi.registerCommand("stop", { handler: () => stop.abort() });
  pi.registerTool({ name: "work", description: "w", parameters: pi.typebox.Type.Object({ method: pi.typebox.Type.String() }),
    execute: async (id, { method }, signal, onUpdate, ctx) => { await ask(method, [], ctx); return { content: [] }; } });
  pi.on("input", ({ text }, ctx) => text.startsWith("input ") ? ask(text.slice(6), [], ctx) : undefined);
  pi.on("tool_call", async (event, ctx) => { if (event.toolName !== "work") { await ask(event.input.method, [], ctx); return { block: true }; } });
`;

const start = (situation: Situation = {}) => withExtensions(ASKER, situation);
const isDialog = ({ type, method }: Frame) => type === "extension_ui_request" && METHODS.includes(method);
const isCancel = ({ method }: Frame) => method === "cancel";

/** Returns that frame, whether or not it has already arrived. */
const frame = async ({ rpc }: ExtensionRun, fits: (frame: Frame) => boolean) =>
  rpc.frames.find(fits) ?? rpc.until(fits);

/** The recorded answers, and how often a dialog timed out. */
function outcome({ notes }: ExtensionRun): { answers: unknown[]; timeouts: number } {
  const of = (key: string) =>
    notes()
      .filter(([name]) => name === key)
      .map(([, value]) => value);
  return { answers: of("answer"), timeouts: of("onTimeout").length };
}

/** A command is over when its prompt has a result. */
const commandEnd = (run: ExtensionRun, prompt: string) =>
  frame(run, ({ type, id }) => type === "prompt_result" && id === prompt);

async function opened(run: ExtensionRun, message: string): Promise<Frame> {
  run.rpc.send({ id: message, type: "prompt", message });
  return run.rpc.until(isDialog);
}

interface End {
  words?: string;
  situation?: Situation;
  /** False if the host is not asked at all. */
  isAsked?: boolean;
  end?(run: ExtensionRun, dialog: Frame): unknown;
  isAnswered?: boolean;
  timeouts?: number;
  /** The host is notified that the dialog is no longer needed. */
  isCancelled?: boolean;
}

const respond = (run: ExtensionRun, fields: object) => run.rpc.send({ type: "extension_ui_response", ...fields });

const ENDS: Record<string, End> = {
  "cancelled by the host": { end: (run, { id }) => respond(run, { id, cancelled: true, value: "x", confirmed: true }) },
  "timed out at the host": {
    end: (run, { id }) => respond(run, { id, cancelled: true, timedOut: true }),
    timeouts: 1,
  },
  "timed out": { words: "timeout", timeouts: 1, isCancelled: true },
  "aborted by its signal": {
    words: "signal",
    end: (run) => run.rpc.call("prompt", { message: "/stop" }),
    isCancelled: true,
  },
  "aborted before it was shown": { words: "aborted", isAsked: false },
  "a host that shows nothing": { situation: { args: ["--no-ui"] }, isAsked: false },
  "a host that says it shows nothing any more": {
    end: (run) => run.rpc.call("set_host_capabilities", { ui: false }),
    isCancelled: true,
  },
  "another session": { end: (run) => run.rpc.call("new_session"), isCancelled: true },
  "an answer of the wrong kind": {
    end: (run, { id, method }) =>
      respond(run, { id, ...(method === "confirm" ? { value: "yes" } : { confirmed: true }) }),
  },
  "an answer of the wrong type": { end: (run, { id }) => respond(run, { id, value: 5, confirmed: "yes" }) },
  "an answer without content": { end: (run, { id }) => respond(run, { id }) },
};

describe.each(METHODS)("%s", (method) => {
  const dialog = DIALOGS[method]!;

  test.each(Object.entries(ENDS))("%s", async (_name, { words = "", situation, isAsked = true, end, ...expected }) => {
    await using run = await start(situation);
    const message = `/ask ${method} ${words}`;
    run.rpc.send({ id: message, type: "prompt", message });
    if (isAsked) {
      const shown = await run.rpc.until(isDialog);
      const timeout = words === "timeout" && method !== "editor" ? { timeout: 21 } : {};
      expect(shown).toEqual({ type: "extension_ui_request", id: shown.id, method, ...dialog.shown, ...timeout });
      await end?.(run, shown);
      if (expected.isCancelled) expect((await frame(run, isCancel)).targetId).toBe(shown.id);
    }
    await commandEnd(run, message);
    expect(outcome(run)).toEqual({ answers: [dialog.none], timeouts: expected.timeouts ?? 0 });
    expect(run.rpc.frames.filter(isCancel).length).toBe(expected.isCancelled ? 1 : 0);
    expect(run.rpc.frames.filter(isDialog).length).toBe(isAsked ? 1 : 0);
    expect((await run.rpc.call("get_pending")).data.pending).toEqual([]);
  });

  test("is answered once; further answers and those to unknown ids are ignored", async () => {
    await using run = await start();
    const { id } = await opened(run, `/ask ${method}`);
    expect((await run.rpc.call("get_pending")).data.pending).toMatchObject([
      { kind: "dialog", id, method, title: "Title" },
    ]);
    for (const stray of [{ id: "ui_999" }, { id: 7 }, { id: null }, {}, { id: [id] }])
      respond(run, { ...stray, cancelled: true });
    respond(run, { id, ...dialog.answer });
    respond(run, { id, cancelled: true });
    respond(run, { id, value: "late", confirmed: false });
    await commandEnd(run, `/ask ${method}`);
    expect(outcome(run)).toEqual({ answers: [dialog.given], timeouts: 0 });
    expect(run.rpc.frames.filter(({ type, success }) => type === "response" && !success)).toEqual([]);
  });

  test("abort closes a dialog in a run, in a gate and in a tool, but not that of a command", async () => {
    await using run = await start({
      answers: [
        callsTools({ name: "read", args: { path: "x", method } }),
        callsTools({ name: "work", args: { method } }),
        says("ok"),
      ],
    });
    let command: Frame | undefined;
    for (const from of ["gate", "tool", `input ${method}`]) {
      const { id } = await opened(run, from);
      command ??= await opened(run, `/ask ${method}`); // while the run is active
      run.rpc.send({ id: `abort ${from}`, type: "abort" });
      expect((await run.rpc.until(isCancel)).targetId).toBe(id);
      await frame(run, (other) => other.id === `abort ${from}`);
    }
    expect(outcome(run)).toEqual({ answers: [dialog.none, dialog.none, dialog.none], timeouts: 0 });
    expect(run.rpc.frames.filter(isCancel).length).toBe(3);
    respond(run, { id: command?.id, ...dialog.answer });
    await commandEnd(run, `/ask ${method}`);
    expect(outcome(run).answers.at(-1)).toEqual(dialog.given);
  });

  test("ends with its default at the end of the input", async () => {
    await using run = await start();
    await opened(run, `/ask ${method}`);
    expect(await run.rpc.end()).toBe(0);
    expect(run.notes()).toEqual([["answer", dialog.none as Frame]]);
  });
});

test("several dialogs of one extension can be open and answered in any order", async () => {
  await using run = await start();
  const first = await opened(run, "/ask input");
  const second = await opened(run, "/ask confirm");
  expect(new Set([first.id, second.id]).size).toBe(2);
  respond(run, { id: second.id, confirmed: true });
  respond(run, { id: first.id, value: "x" });
  await commandEnd(run, "/ask input");
  expect(outcome(run).answers).toEqual([true, "x"]);
});

test("the pi dialect supports the same dialogs", async () => {
  await using run = await start({ dialect: "pi" });
  run.rpc.send({ id: "p", type: "prompt", message: "/ask confirm" });
  const { id, ...shown } = await run.rpc.until(isDialog);
  expect(shown).toEqual({ type: "extension_ui_request", method: "confirm", title: "Title", message: "Message" });
  respond(run, { id, confirmed: true });
  expect(await run.rpc.until((frame) => frame.id === "p")).toMatchObject({ type: "response", success: true });
  expect(outcome(run).answers).toEqual([true]);
});
