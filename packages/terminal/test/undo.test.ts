import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CHAT, callsTools, chatPlace, says } from "../../coding-agent/test/support/scenarios/chat-server.ts";
import { isReady, KEYS, TerminalRun } from "./support/terminal-run.ts";

// Undo in the built program at a real terminal, with a model on loopback.

const write = (path: string, content: string) => ({ name: "write", args: { path, content } });
const CHANGE = callsTools(write("a.txt", "two\n"), write("b.txt", "new\n"));

async function changed(): Promise<{
  chat: Awaited<ReturnType<typeof chatPlace>>;
  run: TerminalRun;
  path(name: string): string;
  text(name: string): string | undefined;
  [Symbol.asyncDispose](): Promise<void>;
}> {
  const chat = await chatPlace(CHANGE, says("Changed."), says("Well."));
  const path = (name: string) => join(chat.place.cwd, name);
  writeFileSync(path("a.txt"), "one\n");
  const run = new TerminalRun([...CHAT, "change it"], chat.place, { columns: 120, env: { PAGER: "cat" } });
  await run.sees("Changed.");
  await isReady(run);
  return {
    chat,
    run,
    path,
    text: (name) => (existsSync(path(name)) ? readFileSync(path(name), "utf8") : undefined),
    async [Symbol.asyncDispose]() {
      await run[Symbol.asyncDispose]();
      await chat[Symbol.asyncDispose]();
    },
  };
}

const command = (run: TerminalRun, text: string) => run.type(`${text}${KEYS.enter}`);
const selects = (run: TerminalRun, label: string) =>
  run.until((screen) => screen.screen().some((line) => line.startsWith("→") && line.includes(label)), label);

describe("/diff", () => {
  test("shows the files of the run with their changes", async () => {
    await using it = await changed();
    command(it.run, "/diff");
    await it.run.sees("The last run changed 2 files");
    await it.run.sees("a.txt  +1 −1");
    await it.run.sees("b.txt  new, +1 −0");
    await selects(it.run, "1 close");
  });

  test("says that nothing changed, and what it understands", async () => {
    await using chat = await chatPlace(says("Hello."));
    await using run = new TerminalRun([...CHAT, "hi"], chat.place);
    await run.sees("Hello.");
    await isReady(run);
    command(run, "/diff");
    await run.sees("The last run changed no files.");
    command(run, "/diff yesterday");
    await run.sees("Use /diff turn, /diff run or /diff session.");
    expect(chat.server.requests).toHaveLength(1);
  });
});

describe("/undo and /redo", () => {
  test("undoes what the run changed, and redoes it", async () => {
    await using it = await changed();
    command(it.run, "/undo");
    await it.run.sees("Undo the changes in 2 files?");
    await selects(it.run, "1 cancel");
    expect(it.text("a.txt")).toBe("two\n");
    it.run.type("y");
    await it.run.sees("Undid the changes in 2 files");
    expect([it.text("a.txt"), it.text("b.txt")]).toEqual(["one\n", undefined]);
    await isReady(it.run);
    command(it.run, "/redo");
    await it.run.sees("Redo the changes in 2 files?");
    it.run.type("y");
    await it.run.sees("Redid the changes in 2 files");
    expect([it.text("a.txt"), it.text("b.txt")]).toEqual(["two\n", "new\n"]);
  });

  test("change nothing when they are cancelled", async () => {
    await using it = await changed();
    command(it.run, "/undo 1");
    await it.run.sees('back to before "change it');
    it.run.type(KEYS.enter);
    await isReady(it.run);
    command(it.run, "/undo 2");
    await it.run.sees("runs of this session that changed files: 1.");
    command(it.run, "/undo all");
    await it.run.sees("Use /undo, or /undo N with the number of runs to undo, such as /undo 3.");
    expect(it.text("a.txt")).toBe("two\n");
  });

  test("leave the choice to the user where a file was edited since", async () => {
    await using it = await changed();
    writeFileSync(it.path("a.txt"), "theirs\n");
    command(it.run, "/undo");
    await it.run.sees("a.txt: edited since by you or another program");
    await selects(it.run, "1 cancel");
    it.run.type("s");
    await it.run.sees("Left as they are: a.txt.");
    expect([it.text("a.txt"), it.text("b.txt")]).toEqual(["theirs\n", undefined]);
    await isReady(it.run);
  });

  test("keep the other content as a copy", async () => {
    await using it = await changed();
    writeFileSync(it.path("a.txt"), "theirs\n");
    command(it.run, "/undo");
    await it.run.sees("edited since");
    it.run.type("k");
    await it.run.sees("a.txt: the other content is in a.txt.before-rewind.");
    expect([it.text("a.txt"), it.text("a.txt.before-rewind")]).toEqual(["one\n", "theirs\n"]);
  });

  test("say so if there is nothing to do", async () => {
    await using chat = await chatPlace(says("Hello."));
    await using run = new TerminalRun([...CHAT, "hi"], chat.place);
    await run.sees("Hello.");
    await isReady(run);
    command(run, "/undo");
    await run.sees("Nothing to undo");
    command(run, "/redo");
    await run.sees("Nothing to redo");
    expect(chat.server.requests).toHaveLength(1);
  });
});

test("/tree asks whether the files go back as well", async () => {
  await using it = await changed();
  command(it.run, "/tree");
  await it.run.sees("Continue before this message");
  it.run.type(KEYS.enter);
  await it.run.sees("Files were changed since then. What goes back?");
  await selects(it.run, "1 the conversation");
  it.run.type("b");
  await it.run.sees("Undo the changes in 2 files?");
  it.run.type("y");
  await it.run.sees("The conversation continues from an earlier entry.");
  expect([it.text("a.txt"), it.text("b.txt")]).toEqual(["one\n", undefined]);
});
