import { expect, test } from "bun:test";
import { runProgram } from "../support/program.ts";
import { CHAT } from "../support/scenarios/chat-server.ts";
import { withExtensions } from "../support/scenarios/extensions/with-extensions.ts";

// Tests what extensions show, and their terminal-only calls, in the built program.

/** A command that runs this code with `ui`. */
const command = (code: string) =>
  `pi.registerCommand("go", { handler: async (args, ctx) => { const { ui } = ctx; ${code} } });`;

const SHOWN: [call: string, frame: object | undefined][] = [
  [`ui.notify("plain")`, { method: "notify", message: "plain" }],
  [`ui.notify("bad", "error")`, { method: "notify", message: "bad", notifyType: "error" }],
  [`ui.notify("odd", "success")`, { method: "notify", message: "odd" }],
  [`ui.notify(5)`, { method: "notify", message: "5" }],
  [`ui.setStatus("k", "on")`, { method: "setStatus", statusKey: "k", statusText: "on" }],
  [`ui.setStatus("k", undefined)`, { method: "setStatus", statusKey: "k" }],
  [`ui.setWidget("w", ["a", "b"])`, { method: "setWidget", widgetKey: "w", widgetLines: ["a", "b"] }],
  [
    `ui.setWidget("w", ["a"], { placement: "belowEditor" })`,
    { method: "setWidget", widgetKey: "w", widgetLines: ["a"], widgetPlacement: "belowEditor" },
  ],
  [`ui.setWidget("w", undefined)`, { method: "setWidget", widgetKey: "w" }],
  [`ui.setWidget("w", () => ({ render() {} }))`, undefined],
  [`ui.setWidget("w", [1])`, undefined],
  [`ui.setTitle("t")`, undefined],
  [`ui.setEditorText("e")`, { method: "set_editor_text", text: "e" }],
  [`ui.pasteToEditor("p")`, { method: "set_editor_text", text: "p" }],
];

test("sends each display method in the form of the protocol", async () => {
  await using run = await withExtensions(command(SHOWN.map(([call]) => `${call};`).join("\n")));
  await run.command("/go");
  const frames = run.rpc.frames.filter(({ type }) => type === "extension_ui_request");
  expect(frames.map(({ id, ...frame }) => frame)).toEqual(
    SHOWN.flatMap(([, frame]) => (frame ? [{ type: "extension_ui_request", ...frame }] : [])),
  );
  expect(new Set(frames.map(({ id }) => id)).size).toBe(frames.length);
});

test.each([
  ["PI_RPC_EMIT_TITLE", "1", 1],
  ["PINTLE_RPC_EMIT_TITLE", "true", 1],
  ["PINTLE_RPC_EMIT_TITLE", "0", 0],
])("setTitle with %s=%s", async (name, value, count) => {
  await using run = await withExtensions(command(`ui.setTitle("t");`), { env: { [name]: value } });
  await run.command("/go");
  const titles = run.rpc.frames.filter(({ method }) => method === "setTitle");
  expect(titles.map(({ title }) => title)).toEqual(Array(count).fill("t"));
});

/** What these return without a terminal. */
const INERT: [call: string, value: unknown][] = [
  [`await ui.custom(() => ({}), { overlay: true })`, null],
  [`ui.getEditorText()`, ""],
  [`ui.theme.fg("accent", "x") + ui.theme.bg("b", "y") + ui.theme.bold("z")`, "xyz"],
  [`["dim", "italic", "underline", "inverse", "strikethrough"].map((style) => ui.theme[style]("s")).join("")`, "sssss"],
  [`ui.getAllThemes()`, []],
  [`ui.getTheme("dark") ?? null`, null],
  [`typeof ui.onTerminalInput(() => {})`, "function"],
  [`ui.onTerminalInput(() => {})() ?? null`, null],
  ...[
    "setFooter",
    "setHeader",
    "setEditorComponent",
    "addAutocompleteProvider",
    "setWorkingMessage",
    "setWorkingVisible",
  ].map((name): [string, null] => [`ui.${name}(() => {}) ?? null`, null]),
  ...["setWorkingIndicator", "setHiddenThinkingLabel", "setToolsExpanded"].map((name): [string, null] => [
    `ui.${name}(undefined) ?? null`,
    null,
  ]),
  [`ui.getToolsExpanded()`, false],
];

test("methods that need a terminal do no harm and send nothing", async () => {
  const calls = INERT.map(([call]) => `() => ${call.replace(/^await /, "")}`);
  await using run = await withExtensions(
    command(`const values = []; for (const call of [${calls}]) values.push(await call()); tell(ctx, "values", values);
      tell(ctx, "theme", ui.setTheme("dark")); tell(ctx, "hasUI", ctx.hasUI);`),
  );
  await run.command("/go");
  expect((await run.told("values"))[0]).toEqual(INERT.map(([, value]) => value) as never);
  expect(await run.told("theme")).toEqual([{ success: false, error: expect.stringContaining("RPC mode") }]);
  expect(await run.told("hasUI")).toEqual([true as never]);
  expect(run.rpc.frames.filter(({ type }) => type === "extension_ui_request").length).toBe(3);
});

/** Dialogs and everything shown, without a host. */
const SILENT = `
  const answers = [await ui.select("t", ["a"]), await ui.confirm("t", "m"), await ui.input("t"), await ui.editor("t")];
  ${SHOWN.map(([call]) => `${call};`).join("\n")}
  note("silent", [ctx.hasUI, ...answers, await ui.custom(), ui.getEditorText(), ui.setTheme("x").success]);
`;
const NOTHING = ["silent", [false, null, false, null, null, null, "", false]];

test("a host without a user interface gets no frames, and dialogs return defaults immediately", async () => {
  await using run = await withExtensions(command(SILENT), { args: ["--no-ui"] });
  await run.command("/go");
  expect(run.notes()).toEqual([NOTHING as never]);
  expect(run.rpc.frames.filter(({ type }) => type === "extension_ui_request")).toEqual([]);
});

test.each([["text"], ["json"]])("the mode %s has no user interface", async (mode) => {
  await using run = await withExtensions(
    `pi.on("agent_end", async (event, ctx) => { const { ui } = ctx; ${SILENT} });`,
  );
  const { cwd, env } = run.place;
  const { code } = await runProgram([...CHAT, "--mode", mode, "-p", "hi"], {
    cwd,
    env: { ...env, NOTES: `${cwd}/notes` },
  });
  expect([code, run.notes()]).toEqual([0, [NOTHING as never]]);
});
