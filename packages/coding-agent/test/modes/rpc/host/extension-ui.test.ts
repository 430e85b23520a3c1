import { describe, expect, test } from "bun:test";
import { questionFrames, type UiRequestFrame } from "@pintle/wire";
import { Compile } from "typebox/schema";
import type { DialogOptions, ExtensionUi } from "../../../../src/extensibility/ui/ui.ts";
import { emitsTitle } from "../../../../src/modes/rpc/host/extension-ui.ts";
import { settle } from "../../../support/modes/frames/fake-timers.ts";
import { CountedSignal } from "../../../support/modes/rpc/counted-signal.ts";
import { HostBench } from "../../../support/modes/rpc/host-bench.ts";

type DialogMethod = "select" | "confirm" | "input" | "editor";
const METHODS: readonly DialogMethod[] = ["select", "confirm", "input", "editor"];

const OPENERS: Record<DialogMethod, (ui: ExtensionUi, options?: DialogOptions) => Promise<unknown>> = {
  select: (ui, options) => ui.select("Pick", ["a", "b"], options),
  confirm: (ui, options) => ui.confirm("Sure?", "It is final.", options),
  input: (ui, options) => ui.input("Name", undefined, options),
  editor: (ui, options) => ui.editor("Text", undefined, options),
};
const DEFAULTS: Record<DialogMethod, unknown> = {
  select: undefined,
  confirm: false,
  input: undefined,
  editor: undefined,
};

async function stateOf(dialog: Promise<unknown>): Promise<unknown> {
  await settle();
  return Promise.race([dialog, Promise.resolve("open")]);
}

const request = (id: string, fields: object) => ({ type: "extension_ui_request", id, ...fields }) as UiRequestFrame;
const respond = (bench: HostBench, id: unknown, fields: object) =>
  bench.answer({ type: "extension_ui_response", id, ...fields });

describe("requests", () => {
  test("have the specified fields for each of the ten methods", async () => {
    const bench = new HostBench({ env: { PI_RPC_EMIT_TITLE: "1" } });
    const ui = bench.channel.ui();
    void ui.select("Pick", ["a", { label: "b", description: "the second" }], { timeout: 5000 });
    void ui.select("Pick", ["a", { label: "b" }]);
    void ui.confirm("Sure?", "It is final.", { timeout: 1500.2 });
    void ui.input("Name", "first last", { timeout: 10 });
    void ui.input("Name");
    void ui.editor("Text", "Dear", { timeout: 10, promptStyle: true });
    void ui.editor("Text");
    ui.notify("done");
    ui.notify("careful", "warning");
    ui.setStatus("build", "green");
    ui.setStatus("build");
    ui.setWidget("todo", ["one", "two"], { placement: "belowEditor" });
    ui.setWidget("todo", undefined);
    ui.setTitle("pintle");
    ui.setEditorText("typed");
    ui.pasteToEditor("pasted");
    const frames = bench.frames();
    expect(frames).toEqual([
      request("ui_1", {
        method: "select",
        title: "Pick",
        options: ["a", "b"],
        optionDetails: [{}, { description: "the second" }],
        timeout: 5000,
      }),
      request("ui_2", { method: "select", title: "Pick", options: ["a", "b"] }),
      request("ui_3", { method: "confirm", title: "Sure?", message: "It is final.", timeout: 1501 }),
      request("ui_4", { method: "input", title: "Name", placeholder: "first last", timeout: 10 }),
      request("ui_5", { method: "input", title: "Name" }),
      request("ui_6", { method: "editor", title: "Text", prefill: "Dear", promptStyle: true }),
      request("ui_7", { method: "editor", title: "Text" }),
      request("ui_8", { method: "notify", message: "done" }),
      request("ui_9", { method: "notify", message: "careful", notifyType: "warning" }),
      request("ui_10", { method: "setStatus", statusKey: "build", statusText: "green" }),
      request("ui_11", { method: "setStatus", statusKey: "build" }),
      request("ui_12", {
        method: "setWidget",
        widgetKey: "todo",
        widgetLines: ["one", "two"],
        widgetPlacement: "belowEditor",
      }),
      request("ui_13", { method: "setWidget", widgetKey: "todo" }),
      request("ui_14", { method: "setTitle", title: "pintle" }),
      request("ui_15", { method: "set_editor_text", text: "typed" }),
      request("ui_16", { method: "set_editor_text", text: "pasted" }),
    ]);
    bench.timers.advance(10);
    await settle();
    expect(bench.frames()).toEqual([
      request("ui_17", { method: "cancel", targetId: "ui_4" }),
      request("ui_18", { method: "cancel", targetId: "ui_6" }),
    ]);
    const schema = Compile(questionFrames.extension_ui_request());
    expect(frames.filter((frame) => !schema.Check(frame))).toEqual([]);
  });

  test("have the protocol's types, whatever extensions pass", () => {
    const bench = new HostBench();
    // biome-ignore lint/suspicious/noExplicitAny: extensions are not type-checked
    const ui = bench.channel.ui() as any;
    void ui.select(7, [1, { label: 2, description: 3 }, null], { timeout: Number.NaN });
    void ui.confirm(undefined, new Error("boom"), null);
    void ui.input("Name", null, { timeout: -5 });
    void ui.input("Name", 4, { timeout: 1e15 });
    void ui.editor("Text", 5, { timeout: "soon", promptStyle: "yes" });
    ui.notify({ toString: () => "object" }, "success");
    ui.setStatus(1, 2);
    ui.setStatus("a", null);
    ui.setWidget("w", () => "a component");
    ui.setWidget("w", ["a", 1]);
    ui.setWidget("w", null, { placement: "left" });
    ui.setWidget("w", [], null);
    ui.setEditorText(undefined);
    const frames = bench.frames();
    expect(frames).toEqual([
      request("ui_1", {
        method: "select",
        title: "7",
        options: ["1", "2", ""],
        optionDetails: [{}, { description: "3" }, {}],
      }),
      request("ui_2", { method: "confirm", title: "", message: "Error: boom" }),
      request("ui_3", { method: "input", title: "Name" }),
      request("ui_4", { method: "input", title: "Name", placeholder: "4", timeout: 86_400_000 }),
      request("ui_5", { method: "editor", title: "Text", prefill: "5" }),
      request("ui_6", { method: "notify", message: "object" }),
      request("ui_7", { method: "setStatus", statusKey: "1", statusText: "2" }),
      request("ui_8", { method: "setStatus", statusKey: "a" }),
      request("ui_9", { method: "setWidget", widgetKey: "w" }),
      request("ui_10", { method: "setWidget", widgetKey: "w", widgetLines: [] }),
      request("ui_11", { method: "set_editor_text", text: "" }),
    ]);
    const schema = Compile(questionFrames.extension_ui_request());
    expect(frames.filter((frame) => !schema.Check(frame))).toEqual([]);
  });

  test("the functions of the user interface do not depend on this", async () => {
    const bench = new HostBench();
    const { notify, confirm } = bench.channel.ui();
    notify("hello");
    const answered = confirm("Sure?", "");
    respond(bench, "ui_2", { confirmed: true });
    expect(await answered).toBe(true);
  });
});

describe("answers", () => {
  const rows: [DialogMethod, object, unknown][] = [
    ["select", { value: "b" }, "b"],
    ["select", { value: "not offered" }, "not offered"],
    ["select", { confirmed: true }, undefined],
    ["select", { value: 3 }, undefined],
    ["confirm", { confirmed: true }, true],
    ["confirm", { confirmed: false }, false],
    ["confirm", { confirmed: "true" }, false],
    ["confirm", { value: "yes" }, false],
    ["input", { value: "" }, ""],
    ["input", { confirmed: true }, undefined],
    ["editor", { value: "two\nlines" }, "two\nlines"],
    ["editor", {}, undefined],
  ];
  test.each(rows)("%s with %j", async (method, answer, value) => {
    const bench = new HostBench();
    const dialog = OPENERS[method](bench.channel.ui());
    expect(await stateOf(dialog)).toBe("open");
    respond(bench, "ui_1", answer);
    expect(await stateOf(dialog)).toBe(value);
    expect(bench.frames().length).toBe(1);
    expect({ list: bench.channel.list(), timers: bench.timers.pendingCount }).toEqual({ list: [], timers: 0 });
  });

  test("cancelled takes precedence over every other field; only timedOut runs the callback", async () => {
    for (const method of METHODS) {
      const bench = new HostBench();
      const ui = bench.channel.ui();
      let timeouts = 0;
      const onTimeout = () => {
        timeouts += 1;
      };
      const first = OPENERS[method](ui, { onTimeout });
      respond(bench, "ui_1", { cancelled: true, value: "a", confirmed: true });
      expect([await stateOf(first), timeouts]).toEqual([DEFAULTS[method], 0]);
      const second = OPENERS[method](ui, { onTimeout });
      respond(bench, "ui_2", { cancelled: true, timedOut: true });
      expect([await stateOf(second), timeouts]).toEqual([DEFAULTS[method], 1]);
      const third = OPENERS[method](ui, { onTimeout });
      respond(bench, "ui_3", { cancelled: false, timedOut: true, value: "a", confirmed: true });
      expect([await stateOf(third), timeouts]).toEqual([method === "confirm" ? true : "a", 1]);
      expect(bench.frames().length).toBe(3);
    }
  });

  test("are ignored for an unknown, answered or missing id", async () => {
    const bench = new HostBench();
    const dialog = bench.channel.ui().input("Name");
    for (const id of ["ui_2", undefined, null, 1, {}]) respond(bench, id, { value: "wrong" });
    expect(await stateOf(dialog)).toBe("open");
    respond(bench, "ui_1", { value: "first" });
    respond(bench, "ui_1", { value: "second" });
    expect(await stateOf(dialog)).toBe("first");
    expect(bench.mistakes.map(({ code, requestId }) => [code, requestId])).toEqual([
      ["unknown_question", "ui_2"],
      ["invalid_id", undefined],
      ["invalid_id", undefined],
      ["invalid_id", 1],
      ["answered_twice", "ui_1"],
    ]);
  });

  test("may arrive in any order when several dialogs are open", async () => {
    const bench = new HostBench();
    const ui = bench.channel.ui();
    const dialogs = METHODS.map((method) => OPENERS[method](ui));
    expect(bench.channel.list()).toEqual([
      {
        kind: "dialog",
        id: "ui_1",
        since: 0,
        deadline: 600_000,
        default: "nothing is chosen",
        method: "select",
        title: "Pick",
      },
      {
        kind: "dialog",
        id: "ui_2",
        since: 0,
        deadline: 600_000,
        default: "not confirmed",
        method: "confirm",
        title: "Sure?",
      },
      { kind: "dialog", id: "ui_3", since: 0, deadline: 600_000, default: "no text", method: "input", title: "Name" },
      { kind: "dialog", id: "ui_4", since: 0, deadline: 600_000, default: "no text", method: "editor", title: "Text" },
    ]);
    for (const id of ["ui_4", "ui_2", "ui_1", "ui_3"]) respond(bench, id, { value: id, confirmed: true });
    expect(await Promise.all(dialogs)).toEqual(["ui_1", true, "ui_3", "ui_4"]);
  });
});

describe.each(METHODS)("%s without an answer", (method) => {
  const byDefault = DEFAULTS[method];

  test("on its own timeout, measured by the server: sends cancel, runs the callback, returns the default", async () => {
    const bench = new HostBench();
    const order: string[] = [];
    const dialog = OPENERS[method](bench.channel.ui(), { timeout: 30, onTimeout: () => order.push("timeout") });
    bench.frames();
    bench.timers.advance(29);
    expect(await stateOf(dialog)).toBe("open");
    bench.timers.advance(1);
    expect(await stateOf(dialog)).toBe(byDefault);
    respond(bench, "ui_1", { value: "late", confirmed: true });
    expect(bench.frames()).toEqual([request("ui_2", { method: "cancel", targetId: "ui_1" })]);
    expect(order).toEqual(["timeout"]);
  });

  test("without one: uses the timeout from the settings", async () => {
    const bench = new HostBench();
    const dialog = OPENERS[method](bench.channel.ui());
    bench.timers.advance(600_000);
    expect(await stateOf(dialog)).toBe(byDefault);
    expect(bench.frames().slice(1)).toEqual([request("ui_2", { method: "cancel", targetId: "ui_1" })]);
  });

  test("on an abort of its own signal or of its run: sends cancel and returns the default", async () => {
    for (const which of ["own", "scope"]) {
      const bench = new HostBench();
      const [own, scope] = [new CountedSignal(), new CountedSignal()];
      const dialog = OPENERS[method](bench.channel.ui(scope.signal), { signal: own.signal });
      const unrelated = OPENERS[method](bench.channel.ui());
      bench.frames();
      (which === "own" ? own : scope).abort();
      expect([await stateOf(dialog), await stateOf(unrelated)]).toEqual([byDefault, "open"]);
      expect(bench.frames()).toEqual([request("ui_3", { method: "cancel", targetId: "ui_1" })]);
      expect([own.listenerCount, scope.listenerCount, bench.timers.pendingCount]).toEqual([0, 0, 1]);
    }
  });

  test("with an aborted signal: is not sent", async () => {
    const bench = new HostBench();
    expect(await OPENERS[method](bench.channel.ui(), { signal: AbortSignal.abort() })).toBe(byDefault);
    expect(await OPENERS[method](bench.channel.ui(AbortSignal.abort()))).toBe(byDefault);
    expect(bench.frames()).toEqual([]);
  });

  test("when the host has disconnected: sends no cancel, and later dialogs are not sent", async () => {
    const bench = new HostBench();
    const dialog = OPENERS[method](bench.channel.ui());
    bench.frames();
    bench.channel.hostGone();
    expect(await stateOf(dialog)).toBe(byDefault);
    expect(await OPENERS[method](bench.channel.ui())).toBe(byDefault);
    expect(bench.frames()).toEqual([]);
  });

  test("after ui:false: is not sent, and open dialogs end", async () => {
    const bench = new HostBench();
    const open = OPENERS[method](bench.channel.ui());
    bench.frames();
    bench.channel.capabilities.declare({ ui: false });
    expect(await stateOf(open)).toBe(byDefault);
    expect(bench.frames()).toEqual([request("ui_2", { method: "cancel", targetId: "ui_1" })]);
    expect(await OPENERS[method](bench.channel.ui())).toBe(byDefault);
    expect(bench.frames()).toEqual([]);
    bench.channel.capabilities.declare({ ui: true });
    void OPENERS[method](bench.channel.ui());
    expect(bench.frames().length).toBe(1);
  });
});

describe("capabilities", () => {
  test("missing fields keep their value", () => {
    const { capabilities } = new HostBench().channel;
    expect(capabilities.current).toEqual({
      ui: true,
      trust: false,
      resolvePreviews: false,
      approvals: false,
      budgets: false,
      fs: false,
      terminal: false,
      mcpAuth: false,
      asyncWork: false,
    });
    expect(capabilities.declare({ trust: true })).toEqual({
      ui: true,
      trust: true,
      resolvePreviews: false,
      approvals: false,
      budgets: false,
      fs: false,
      terminal: false,
      mcpAuth: false,
      asyncWork: false,
    });
    expect(capabilities.declare({ ui: false, resolvePreviews: true })).toEqual({
      ui: false,
      trust: true,
      resolvePreviews: true,
      approvals: false,
      budgets: false,
      fs: false,
      terminal: false,
      mcpAuth: false,
      asyncWork: false,
    });
    expect(capabilities.declare({})).toEqual({
      ui: false,
      trust: true,
      resolvePreviews: true,
      approvals: false,
      budgets: false,
      fs: false,
      terminal: false,
      mcpAuth: false,
      asyncWork: false,
    });
  });

  test("the ask tool is available only to a host that declared ui:true", () => {
    const { capabilities } = new HostBench().channel;
    const steps = [{}, { trust: true }, { ui: true }, { ui: false }, { trust: false }, { ui: true }];
    const states = steps.map((step) => {
      capabilities.declare(step);
      return [capabilities.hasUi, capabilities.answersQuestions];
    });
    expect(states).toEqual([
      [true, false],
      [true, false],
      [true, true],
      [false, false],
      [false, false],
      [true, true],
    ]);
  });

  test("--no-ui overrides the host's declaration", async () => {
    const bench = new HostBench({ isUiForbidden: true });
    const { capabilities } = bench.channel;
    expect(capabilities.declare({ ui: true })).toEqual({
      ui: false,
      trust: false,
      resolvePreviews: false,
      approvals: false,
      budgets: false,
      fs: false,
      terminal: false,
      mcpAuth: false,
      asyncWork: false,
    });
    expect([capabilities.hasUi, capabilities.answersQuestions]).toEqual([false, false]);
    expect(await bench.channel.ui().confirm("Sure?", "")).toBe(false);
    expect(bench.frames()).toEqual([]);
  });

  test("messages that need no answer are sent to every host", () => {
    const bench = new HostBench();
    bench.channel.capabilities.declare({ ui: false });
    bench.channel.ui().notify("hello", "error");
    expect(bench.frames()).toEqual([request("ui_1", { method: "notify", message: "hello", notifyType: "error" })]);
  });
});

describe("titles", () => {
  test("are sent only when the environment enables them", () => {
    const values = ["1", " TRUE ", "yes", "On", "0", "false", "", "enabled", "2", undefined];
    expect(values.map((value) => emitsTitle({ PI_RPC_EMIT_TITLE: value }))).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
      false,
      false,
      false,
      false,
    ]);
    expect(emitsTitle({ PI_RPC_EMIT_TITLE: "0", PINTLE_RPC_EMIT_TITLE: "on" })).toBe(true);
    expect(emitsTitle({})).toBe(false);
    const bench = new HostBench();
    bench.channel.ui().setTitle("pintle");
    expect(bench.frames()).toEqual([]);
  });
});

test("methods that need a terminal have no effect", async () => {
  const bench = new HostBench();
  const ui = bench.channel.ui();
  expect(await ui.custom(() => {})).toBe(undefined);
  expect(ui.getEditorText()).toBe("");
  expect(ui.setTheme("dark")).toEqual({ success: false, error: "Theme changes are not supported in RPC mode" });
  expect([ui.getAllThemes(), ui.getTheme("dark"), ui.getEditorComponent(), ui.getToolsExpanded()]).toEqual([
    [],
    undefined,
    undefined,
    false,
  ]);
  const { theme } = ui;
  const styles = [theme.bold, theme.dim, theme.italic, theme.underline, theme.inverse, theme.strikethrough];
  expect(styles.map((style) => style("text"))).toEqual(styles.map(() => "text"));
  expect([theme.fg("accent", "text"), theme.bg("x", "text"), theme.getFgAnsi("x"), theme.getBgAnsi("x")]).toEqual([
    "text",
    "text",
    "",
    "",
  ]);
  ui.onTerminalInput(() => {})();
  ui.setFooter(undefined);
  ui.setHeader(undefined);
  ui.setEditorComponent(undefined);
  ui.addAutocompleteProvider(undefined);
  ui.setWorkingMessage("busy");
  ui.setWorkingVisible(false);
  ui.setWorkingIndicator();
  ui.setHiddenThinkingLabel();
  ui.setToolsExpanded(true);
  expect(bench.frames()).toEqual([]);
});
