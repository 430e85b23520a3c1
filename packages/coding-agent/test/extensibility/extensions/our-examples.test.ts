import { describe, expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startExtensions } from "../../support/extensibility/extensions/harness.ts";
import { recordingUi } from "../../support/extensibility/extensions/recording-ui.ts";
import { repository } from "../../support/program.ts";
import { freshPlace, nextEvent, show } from "../../support/session/test-session.ts";

const file = (name: string) => join(repository, "examples/extensions", `${name}.ts`);

describe("examples/extensions", () => {
  test("ask-before-writing.ts allows writes to src/, and asks for others", async () => {
    const ui = recordingUi({ confirm: (title) => title.includes("yes.txt") });
    const write = (path: string) => ({ call: "write", args: { path, content: "x" } });
    await using harness = await startExtensions(
      [[write("src/a.txt"), write("no.txt"), write("yes.txt")], [{ text: "done" }]],
      { files: [file("ask-before-writing")], ui },
    );
    await harness.prompt("go");
    expect(["src/a.txt", "no.txt", "yes.txt"].map((path) => existsSync(join(harness.cwd, path)))).toEqual([
      true,
      false,
      true,
    ]);
    expect(show(harness.session.messages)).toContain(
      "toolResult(error): The user did not approve writing no.txt. Stay inside src/.",
    );
  });

  test("notes.ts keeps notes in the session they belong to", async () => {
    const ui = recordingUi();
    await using harness = await startExtensions(
      [[{ call: "take_note", args: { note: "tabs, not spaces" } }], [{ text: "ok" }], [{ text: "ok" }]],
      { files: [file("notes")], ui },
    );
    await harness.prompt("remember this");
    const first = harness.session.sessionFile!;
    await harness.session.changes.newSession();
    await harness.prompt("/notes");
    await harness.session.changes.switchSession(first);
    await harness.runner.observed();
    await harness.prompt("/notes");
    await harness.prompt("go");
    expect(ui.shown.filter((line) => line.startsWith("notify"))).toEqual([
      "notify info There are no notes.",
      "notify info tabs, not spaces",
    ]);
    expect(harness.requests.at(-1)!.context.systemPrompt).toEndWith("Your notes:\n- tabs, not spaces");
  });

  test("redact.ts masks the values of variables", async () => {
    process.env.PINTLE_TEST_SECRET = "s3cr3t";
    const args = { command: "echo the secret is s3cr3t" };
    await using harness = await startExtensions([[{ call: "bash", args }], [{ text: "ok" }]], {
      files: [file("redact")],
      flags: new Map([["hide", "NOT_SET,PINTLE_TEST_SECRET"]]),
    });
    await harness.prompt("go");
    delete process.env.PINTLE_TEST_SECRET;
    expect(show(harness.session.messages)[2]).toBe("toolResult: the secret is [hidden]\n");
  });

  test("second-opinion.ts asks another model and continues with its answer", async () => {
    using server = Bun.serve({
      port: 0,
      async fetch(request) {
        const asked = ((await request.json()) as { messages: { content: string }[] }).messages.at(-1)!.content;
        const delta = { content: JSON.stringify(asked).includes("two and two") ? "It is four." : "?" };
        const chunk = JSON.stringify({ choices: [{ index: 0, delta, finish_reason: "stop" }] });
        return new Response(`data: ${chunk}\n\ndata: [DONE]\n\n`, { headers: { "content-type": "text/event-stream" } });
      },
    });
    const place = freshPlace();
    const models = await Bun.file(join(place.home, "models.json")).json();
    const other = { baseUrl: String(server.url), api: "openai-completions", apiKey: "k", models: [{ id: "wise" }] };
    models.providers.other = other;
    writeFileSync(join(place.home, "models.json"), JSON.stringify(models), { mode: 0o600 });
    const ui = recordingUi();
    await using harness = await startExtensions([[{ text: "five" }], [{ text: "Right, four." }]], {
      files: [file("second-opinion")],
      place,
      ui,
    });
    await harness.prompt("two and two?");
    await harness.prompt("/second-opinion nobody/knows");
    expect(ui.shown).toEqual(['notify warning There is no usable model "nobody/knows"']);
    const settled = nextEvent(harness.session, "agent_settled");
    await harness.prompt("/second-opinion other/wise");
    await settled;
    expect(show(harness.session.messages)).toEqual([
      "user: two and two?",
      "assistant: five",
      "custom: wise says:\nIt is four.",
      "assistant: Right, four.",
    ]);
    expect(harness.host.faults).toEqual([]);
  });
});
