import { expect, spyOn, test } from "bun:test";
import type { ScriptedAnswer } from "@pintle/ai/testing";
import { startExtensions } from "../../support/extensibility/extensions/harness.ts";
import { example, hasExamples } from "../../support/extensibility/extensions/pi-examples.ts";
import { recordingUi } from "../../support/extensibility/extensions/recording-ui.ts";
import { where } from "../../support/where.ts";

const said = (...texts: string[]): ScriptedAnswer[] => texts.map((text) => [{ text }]);

where(hasExamples, "needs pi's examples from the npm registry").describe("pi's examples that show something", () => {
  test("rpc-demo uses every method of the user interface", async () => {
    const ui = recordingUi({
      select: () => "Block",
      confirm: () => false,
      input: () => "typed",
      editor: () => "a\nb",
    });
    await using harness = await startExtensions(
      [[{ call: "bash", args: { command: "sudo true" } }], [{ text: "ok" }]],
      { files: [example("rpc-demo")], ui },
    );
    await harness.prompt("go");
    await harness.prompt("/rpc-input");
    await harness.prompt("/rpc-editor");
    await harness.prompt("/rpc-prefill");
    expect(await harness.session.changes.newSession()).toBe(true);
    const methods = new Set(ui.shown.map((line) => line.split(" ")[0]));
    expect([...methods].sort()).toEqual(
      ["confirm", "editor", "editorText", "input", "notify", "select", "status", "title", "widget"].sort(),
    );
    expect(ui.shown).toContain("notify info You entered: typed");
    expect(ui.shown).toContain("notify warning Command blocked by user");
    expect(ui.shown).toContain("status rpc-demo Turn 2 done");
  });

  test("timed-confirm forwards its time limit and its signal", async () => {
    const ui = recordingUi();
    const asked: unknown[] = [];
    ui.confirm = async (_title, _message, dialog) => {
      asked.push(dialog?.timeout ?? dialog?.signal?.aborted);
      return true;
    };
    ui.select = async (_title, _options, dialog) => {
      asked.push(dialog?.timeout);
      return "Option B";
    };
    await using harness = await startExtensions([], { files: [example("timed-confirm")], ui });
    for (const command of ["/timed", "/timed-select", "/timed-signal"]) await harness.prompt(command);
    expect(asked).toEqual([5000, 10_000, false]);
    expect(ui.shown).toContain("notify info Selected: Option B");
  });

  test("commands lists the commands and their sources", async () => {
    const file = example("commands");
    const ui = recordingUi({ select: () => "/pirate - x", confirm: () => true });
    let listed: readonly unknown[] = [];
    const select = ui.select;
    ui.select = (title, options, dialog) => {
      listed = options;
      return select(title, options, dialog);
    };
    await using harness = await startExtensions([], { files: [file, example("pirate")], ui });
    await harness.prompt("/commands extension");
    expect(listed).toEqual([
      "--- Extensions ---",
      "/commands - List available slash commands",
      "/pirate - Toggle pirate mode (agent speaks like a pirate)",
    ]);
    expect(ui.shown.at(-1)).toBe(`notify info ${example("pirate")}`);
  });

  test("event-bus delivers events between extensions", async () => {
    const ui = recordingUi();
    await using harness = await startExtensions([], { files: [example("event-bus")], ui });
    await harness.prompt("/emit hello there");
    expect(ui.shown).toEqual([
      "notify info Event from event-bus-example: Session started",
      "notify info Event from /emit command: hello there",
    ]);
  });

  test("status-line counts turns", async () => {
    const ui = recordingUi();
    await using harness = await startExtensions(said("a"), { files: [example("status-line")], ui });
    await harness.prompt("go");
    expect(ui.shown).toEqual([
      "status status-demo Ready",
      "status status-demo ● Turn 1...",
      "status status-demo ✓ Turn 1 complete",
    ]);
  });

  test("model-status is notified when the model changes", async () => {
    const ui = recordingUi();
    await using harness = await startExtensions([], { files: [example("model-status")], ui });
    using _quiet = spyOn(console, "log").mockImplementation(() => {});
    await harness.session.models.discoverAndSet("acme", "small");
    await harness.runner.observed();
    expect(ui.shown).toEqual(["notify info Model: acme/small", "status model 🤖 small"]);
  });

  test("widget-placement sets two widgets", async () => {
    const ui = recordingUi();
    await using _harness = await startExtensions([], { files: [example("widget-placement")], ui });
    expect(ui.shown).toEqual([
      'widget widget-above ["Above editor widget"] -',
      'widget widget-below ["Below editor widget"] belowEditor',
    ]);
  });

  test("titlebar-spinner sets the title and stops", async () => {
    const ui = recordingUi();
    await using harness = await startExtensions(said("a"), { files: [example("titlebar-spinner")], ui });
    await harness.prompt("go");
    const titles = ui.shown.filter((line) => line.startsWith("title"));
    expect(titles.at(-1)).toMatch(/^title π - /);
  });

  test("notify writes to stdout after the run", async () => {
    const written: string[] = [];
    const { write } = process.stdout;
    await using harness = await startExtensions(said("a"), { files: [example("notify")] });
    process.stdout.write = ((text: string) => written.push(text) > 0) as typeof write;
    await harness.prompt("go");
    process.stdout.write = write;
    expect(written.join("")).toContain("Ready for input");
  });
});
