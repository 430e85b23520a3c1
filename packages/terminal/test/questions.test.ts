import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CHAT, callsTools, chatPlace, says } from "../../coding-agent/test/support/scenarios/chat-server.ts";
import { count, isReady, KEYS, TerminalRun } from "./support/terminal-run.ts";

const LISTING_SERVER = fileURLToPath(import.meta.resolve("../../coding-agent/test/support/mcp/listing-server.ts"));
const CTRL_P = "\u0010";

describe("questions", () => {
  test("runs a call that the user allows", async () => {
    await using chat = await chatPlace(callsTools({ name: "bash", args: { command: "touch made" } }), says("Done."));
    await using run = new TerminalRun([...CHAT, "--permissions", "ask", "go"], chat.place);
    await run.focuses("allow once");
    expect(existsSync(join(chat.place.cwd, "made"))).toBe(false);
    run.type(`${KEYS.down}${KEYS.enter}`);
    await run.sees("Done.");
    expect(existsSync(join(chat.place.cwd, "made"))).toBe(true);
  });

  test("warns before a tool that its server marks as destructive", async () => {
    await using chat = await chatPlace(callsTools({ name: "mcp__one__wipe" }), says("Well."));
    const home = chat.place.env.PINTLE_HOME as string;
    const tools = [{ name: "wipe", inputSchema: { type: "object" }, annotations: { destructiveHint: true } }];
    writeFileSync(join(home, "tools.json"), JSON.stringify(tools));
    const one = { command: process.execPath, args: [LISTING_SERVER, join(home, "tools.json")] };
    writeFileSync(join(home, "mcp.json"), JSON.stringify({ mcpServers: { one } }));
    await using run = new TerminalRun([...CHAT, "--permissions", "ask", "go"], chat.place);
    await run.focuses("The server marks this tool as destructive.");
    run.type(KEYS.escape);
    await run.sees("Well.");
    expect(chat.server.requests).toHaveLength(2);
  });

  test("shows a long command in full, with its directory and variables", async () => {
    const command = [...Array.from({ length: 19 }, (_, index) => `echo ${index}`), "touch made"].join("\n");
    const args = { command, cwd: "sub", env: { PATH: "/tmp/other" } };
    await using chat = await chatPlace(callsTools({ name: "bash", args }), says("Well."));
    mkdirSync(join(chat.place.cwd, "sub"));
    await using run = new TerminalRun([...CHAT, "--permissions", "ask", "go"], chat.place);
    await run.focuses("rows 1 to 10 of 20");
    const shown = run.screen.screen().join("\n");
    expect(shown).toContain("bash: may this command run?");
    expect(shown).toContain("with PATH=/tmp/other");
    expect(shown.replaceAll("\n", "")).toContain(`in ${join(chat.place.cwd, "sub")}`);
    expect(shown).not.toContain("\ntouch made");
    run.type(KEYS.down.repeat(3) + KEYS.enter);
    await run.focuses("rows 11 to 20 of 20");
    expect(run.screen.screen().join("\n")).toContain("\ntouch made");
    run.type(KEYS.escape);
    await run.sees("✗ bash");
    expect(existsSync(join(chat.place.cwd, "sub/made"))).toBe(false);
  });

  test("denies a call whose question the user leaves", async () => {
    await using chat = await chatPlace(callsTools({ name: "bash", args: { command: "touch made" } }), says("Well."));
    await using run = new TerminalRun([...CHAT, "--permissions", "ask", "go"], chat.place);
    await run.focuses("allow once");
    run.type(KEYS.escape);
    await run.sees("✗ bash");
    expect(existsSync(join(chat.place.cwd, "made"))).toBe(false);
  });

  test("applies a staged change when the user says so", async () => {
    const edit = { ops: [{ pat: "foo($A)", out: "bar($A)" }], path: "a.ts", lang: "typescript" };
    await using chat = await chatPlace(callsTools({ name: "ast_edit", args: edit }), says("Done."), says("Done."));
    writeFileSync(join(chat.place.cwd, "a.ts"), "foo(1);\n");
    await using run = new TerminalRun([...CHAT, "go"], chat.place);
    await run.focuses("discard");
    run.type(`${KEYS.down}${KEYS.enter}`);
    await run.sees("Done.");
    expect(readFileSync(join(chat.place.cwd, "a.ts"), "utf8")).toBe("bar(1);\n");
    expect(run.screen.lines().join("\n")).toContain("✓ ast_edit a.ts applied");
  });

  test("shows on the row that a staged change was discarded", async () => {
    const edit = { ops: [{ pat: "foo($A)", out: "bar($A)" }], path: "a.ts", lang: "typescript" };
    await using chat = await chatPlace(callsTools({ name: "ast_edit", args: edit }), says("Done."), says("Done."));
    writeFileSync(join(chat.place.cwd, "a.ts"), "foo(1);\n");
    await using run = new TerminalRun([...CHAT, "go"], chat.place);
    await run.focuses("discard");
    run.type(KEYS.enter);
    await run.sees("– ast_edit a.ts discarded");
    expect(readFileSync(join(chat.place.cwd, "a.ts"), "utf8")).toBe("foo(1);\n");
  });

  test("runs project code only after a yes", async () => {
    await using chat = await chatPlace(says("Hi."));
    const cwd = join(chat.place.cwd, "project");
    const directory = join(cwd, ".pintle", "extensions");
    mkdirSync(directory, { recursive: true });
    writeFileSync(
      join(directory, "x.ts"),
      `export default (pi) => { pi.registerCommand("hello", { description: "greets", handler: async (_a, ctx) => ctx.ui.notify("from the extension") }); };`,
    );
    await using run = new TerminalRun(CHAT, { ...chat.place, cwd });
    await run.focuses("contains project code");
    run.type(`${KEYS.down}${KEYS.enter}`);
    await run.until((screen) => !screen.screen().join("\n").includes("contains project code"));
    run.type(`/hello${KEYS.enter}`);
    await run.sees("from the extension");
  });

  test("pages through all project code before the answer", async () => {
    await using chat = await chatPlace();
    const cwd = join(chat.place.cwd, "project");
    const directory = join(cwd, ".pintle", "extensions");
    mkdirSync(directory, { recursive: true });
    for (let index = 10; index < 30; index += 1)
      writeFileSync(join(directory, `x${index}.ts`), "export default () => {};");
    await using run = new TerminalRun(CHAT, { ...chat.place, cwd }, { columns: 200 });
    await run.focuses("rows 1 to 10 of 20");
    expect(run.screen.screen().join("\n")).not.toContain("x29");
    run.type(KEYS.down.repeat(3) + KEYS.enter);
    await run.focuses("rows 11 to 20 of 20");
    expect(run.screen.screen().join("\n")).toContain("x29");
    run.type(KEYS.escape);
    await isReady(run);
  });

  test("shows the model's question as a list and returns the answer", async () => {
    const questions = [{ id: "q", question: "Which colour?", options: [{ label: "red" }, { label: "blue" }] }];
    await using chat = await chatPlace(callsTools({ name: "ask", args: { questions } }), says("Blue it is."));
    await using run = new TerminalRun([...CHAT, "go"], chat.place);
    await run.focuses("Which colour?");
    run.type(`${KEYS.down}${KEYS.down}${KEYS.enter}`);
    await run.sees("Blue it is.");
    expect(JSON.stringify(chat.server.requests.at(-1)?.body)).toContain("blue");
  });
});

const DIALOGS = `export default (pi) => {
  pi.on("session_start", (_event, { ui }) => {
    ui.setStatus("demo", "demo is on");
    ui.setWidget("demo", ["a widget"]);
    ui.setTitle("a title");
  });
  pi.registerCommand("dialogs", {
    description: "all of them",
    handler: async (_args, { ui }) => {
      const colour = await ui.select("Which colour?", ["red", "green"]);
      const isSure = await ui.confirm("Sure?", "Of " + colour);
      const name = await ui.input("Your name", "nobody");
      const text = await ui.editor("Change this", "one");
      ui.notify(["got", colour, isSure, name, text].join(" "));
      ui.setEditorText("from the extension");
    },
  });
};`;

test("an extension made for pi can use dialogs, status, widgets, the title and the editor's text", async () => {
  await using chat = await chatPlace();
  const directory = join(chat.place.env.PINTLE_HOME ?? "", "extensions");
  mkdirSync(directory);
  writeFileSync(join(directory, "dialogs.ts"), DIALOGS);
  await using run = new TerminalRun(CHAT, chat.place);
  await run.until((screen) => screen.screen().at(-1)?.includes("demo is on") ?? false);
  await run.sees("a widget");
  expect(run.raw).toContain("\u001b]0;a title\u0007");
  const answers = [
    ["Which colour?", KEYS.down + KEYS.down],
    ["Of green", KEYS.down],
    ["Your name", "Ann"],
    ["Change this", " more"],
  ] as const;
  run.type(`/dialogs${KEYS.enter}`);
  for (const [question, keys] of answers) {
    await run.focuses(question);
    run.type(keys);
    // An enter that is read together with text is treated as part of a paste.
    await run.until(
      (screen) => keys.startsWith("\u001b") || screen.screen().some((line) => line.includes(keys.trim())),
    );
    run.type(KEYS.enter);
  }
  await run.sees("got green true Ann one more");
  await run.until((screen) => screen.screen().includes("from the extension"));
});

test("the user can set the keys of actions and of the editor", async () => {
  await using chat = await chatPlace();
  const keys = { pickModel: ["ctrl+l"], "tui.editor.deleteToLineStart": ["ctrl+b"], help: [], fly: ["f1"] };
  writeFileSync(join(chat.place.env.PINTLE_HOME ?? "", "settings.json"), JSON.stringify({ terminal: { keys } }));
  await using run = new TerminalRun(CHAT, chat.place);
  await isReady(run);
  await run.sees('there is no action "fly"');
  run.type("?typed");
  await run.until((screen) => screen.screen().includes("?typed"));
  run.type("\u0002then");
  await run.until((screen) => screen.screen().includes("then"));
  run.type("\u000c");
  await run.sees("local/thinker");
});

describe("choosing", () => {
  test("ctrl+p filters the models by what the user types", async () => {
    await using chat = await chatPlace();
    await using run = new TerminalRun(CHAT, chat.place);
    await isReady(run);
    run.type(CTRL_P);
    await run.sees("local/thinker");
    run.type("think");
    await run.until((screen) => !screen.screen().some((line) => line.includes("local/m ")));
    run.type(KEYS.enter);
    await run.until((screen) => screen.screen().at(-1)?.startsWith("thinker") ?? false);
  });

  test("--resume lets the user choose a session", async () => {
    await using chat = await chatPlace(says("First answer."));
    {
      await using run = new TerminalRun([...CHAT, "first prompt"], chat.place);
      await run.sees("First answer.");
      run.type(KEYS.ctrlD);
      await run.exited;
    }
    await using run = new TerminalRun([...CHAT, "--resume"], chat.place);
    await run.sees("first prompt");
    run.type(KEYS.enter);
    await run.sees("❯ first prompt");
    await run.sees("First answer.");
  });

  test("a session is renamed, deleted and brought back in the picker", async () => {
    await using chat = await chatPlace(says("One."), says("Two."));
    for (const prompt of ["first prompt", "second prompt"]) {
      await using run = new TerminalRun([...CHAT, prompt], chat.place);
      await run.sees(prompt === "first prompt" ? "One." : "Two.");
      await isReady(run);
      run.type(KEYS.ctrlD);
      await run.exited;
    }
    await using run = new TerminalRun(CHAT, chat.place);
    await isReady(run);
    const shows = (text: string, isShown = true) =>
      run.until((screen) => screen.screen().join("\n").includes(text) === isShown, `${text} ${isShown}`);
    run.type("\u0013"); // ctrl+s
    await shows("→ second prompt");
    await shows("just now · 2 messages");
    run.type("\u000e"); // ctrl+n
    await shows("→ name: ");
    run.type("my work");
    await shows("name: my work");
    run.type(KEYS.enter);
    await shows("→ my work");
    run.type(KEYS.ctrlD);
    await shows("my work", false);
    await shows("→ first prompt");
    run.type("\u0015"); // ctrl+u
    await shows("my work");
    run.type("first");
    await shows("my work", false);
    run.type(KEYS.enter);
    await run.sees("One.");
  });

  test("the picker finds a session by its messages", async () => {
    await using chat = await chatPlace(says("The quokka lives in Australia."), says("Two."));
    for (const prompt of ["first prompt", "second prompt"]) {
      await using run = new TerminalRun([...CHAT, prompt], chat.place);
      await run.sees(prompt === "first prompt" ? "quokka" : "Two.");
      await isReady(run);
      run.type(KEYS.ctrlD);
      await run.exited;
    }
    await using run = new TerminalRun(CHAT, chat.place);
    await isReady(run);
    run.type("\u0013"); // ctrl+s
    await run.sees("→ second prompt");
    run.type("Quokka australia");
    await run.sees("→ first prompt");
    await run.sees("found in messages");
    run.type(" wombat");
    await run.sees("no session matches");
    run.type("\u007f".repeat(" wombat".length));
    await run.until((screen) => screen.screen().some((line) => line.startsWith("→ first prompt")), "the match again");
    run.type(KEYS.enter);
    await run.sees("The quokka lives in Australia.");
  });

  test("ctrl+r searches what was sent", async () => {
    await using chat = await chatPlace(says("One."), says("Two."));
    await using run = new TerminalRun(CHAT, chat.place);
    for (const [text, answer] of [
      ["look at the parser", "One."],
      ["run the tests", "Two."],
    ] as const) {
      await isReady(run);
      run.type(text);
      await run.until((screen) => screen.screen().includes(text), text);
      run.type(KEYS.enter);
      await run.sees(answer);
    }
    await isReady(run);
    run.type("\u0012");
    await run.sees("→ run the tests");
    run.type("pars");
    await run.until((screen) => screen.screen().some((line) => line.startsWith("→ look at the parser")), "the match");
    run.type(KEYS.enter);
    await run.until((screen) => screen.screen().includes("look at the parser"), "the editor");
  });

  test("escape twice goes back before a message and returns its text to the editor", async () => {
    await using chat = await chatPlace(says("One."), says("Two."));
    await using run = new TerminalRun([...CHAT, "the question"], chat.place);
    await run.sees("One.");
    await isReady(run);
    run.type(KEYS.escape);
    await Bun.sleep(50); // two keys, not one sequence
    run.type(KEYS.escape);
    await run.sees("Continue before this message");
    run.type(KEYS.enter);
    await run.until((screen) => screen.screen().includes("the question"));
    run.type(` again${KEYS.enter}`);
    await run.sees("Two.");
    expect(JSON.stringify(chat.server.requests.at(-1)?.body)).not.toContain("One.");
    expect(count(run.screen, "❯ the question again")).toBe(1);
  });

  test("pressing shift+tab twice advances two presets", async () => {
    await using chat = await chatPlace();
    await using run = new TerminalRun([...CHAT, "--permissions", "plan"], chat.place);
    await run.until((screen) => screen.screen().at(-1)?.includes("· plan ·") ?? false);
    run.type(KEYS.shiftTab + KEYS.shiftTab);
    await run.until((screen) => screen.screen().at(-1)?.includes("· workspace ·") ?? false);
    expect(run.screen.screen().at(-1)).not.toContain("ask");
  });

  test("/export writes the conversation, /compact summarizes it", async () => {
    await using chat = await chatPlace(says("One."), says("A summary."));
    await using run = new TerminalRun([...CHAT, "the question"], chat.place);
    await run.sees("One.");
    await isReady(run);
    run.type(`/export page.html${KEYS.enter}`);
    await run.sees("Written: ");
    expect(readFileSync(join(chat.place.cwd, "page.html"), "utf8")).toStartWith("<!doctype html>");
    run.type(`/compact${KEYS.enter}`);
    await run.sees("The earlier conversation was summarized");
  });

  test("/login stores a key that only its owner can read, and never shows it", async () => {
    await using chat = await chatPlace();
    await using run = new TerminalRun(CHAT, chat.place);
    await isReady(run);
    run.type(`/login local${KEYS.enter}`);
    await run.sees("API key of local");
    run.type(`sk-very-secret${KEYS.enter}`);
    await run.sees("The local key is stored.");
    const file = join(chat.place.env.PINTLE_HOME ?? "", "auth.json");
    expect(readFileSync(file, "utf8")).toContain("sk-very-secret");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(run.raw).not.toContain("very-secret");
  });

  test("a start without any key explains in three lines what to do", async () => {
    await using chat = await chatPlace();
    writeFileSync(join(chat.place.env.PINTLE_HOME ?? "", "models.json"), JSON.stringify({ providers: {} }));
    await using run = new TerminalRun(["--offline"], chat.place, { columns: 160 });
    await run.sees("/login stores one");
    await run.until((screen) => screen.screen().at(-1)?.startsWith("offline ·") ?? false, "ready");
    const [, , first, second, third, ...others] = run.screen.lines(); // below the banner
    expect([first, second, third].join("\n")).toMatch(/key yet[\s\S]+local server[\s\S]+offline model/);
    expect(others[0]).toBe("");
  });
});
