import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  CHAT,
  callsTools,
  chatPlace,
  heldAnswer,
  says,
} from "../../coding-agent/test/support/scenarios/chat-server.ts";
import { DOT, letSeeImages, solidPng } from "./support/images.ts";
import { count, isReady, KEYS, TerminalRun } from "./support/terminal-run.ts";

// The built program at a real terminal, with a model on loopback.

describe("a conversation", () => {
  test("answers a prompt, and the conversation stays in the terminal after the program ends", async () => {
    await using chat = await chatPlace(says("The *answer* is 42."));
    await using run = new TerminalRun(CHAT, chat.place);
    await isReady(run);
    run.type(`What is it?${KEYS.enter}`);
    await run.sees("The answer is 42.");
    run.type(KEYS.ctrlC + KEYS.ctrlC);
    expect(await run.exited).toBe(0);
    const said = ["", "❯ What is it?", "", "The answer is 42.", "", "Resume with: pintle --resume "].join("\n");
    await run.until((screen) => screen.lines().slice(2).join("\n").startsWith(said), said); // below the banner
  });

  test("the last line resumes the session, after the changed files", async () => {
    const args = { path: "new.txt", content: "one\ntwo\n" };
    await using chat = await chatPlace(callsTools({ name: "write", args }), says("Written."));
    await using run = new TerminalRun([...CHAT, "write it"], chat.place);
    await run.sees("Written.");
    // The first lines of the new file are shown.
    expect(run.screen.lines().join("\n")).toMatch(/✓ write new\.txt \+2.*\n {2}one\n {2}two\n/);
    await isReady(run);
    run.type(KEYS.ctrlD);
    await run.exited;
    await run.until((screen) => /^ {2}new\.txt \(added, \+2 −0\)$/m.test(screen.lines().join("\n")), "the file");
    const id = /Resume with: pintle --resume (\S+)/.exec(run.screen.lines().join("\n"))?.[1];
    await using again = new TerminalRun([...CHAT, "--resume", id ?? ""], chat.place);
    await again.sees("❯ write it");
  });

  test("an unknown command is refused with the nearest name, and a leading space sends it", async () => {
    await using chat = await chatPlace(says("Sent."));
    await using run = new TerminalRun(CHAT, chat.place);
    await isReady(run);
    run.type(`/settigs${KEYS.enter}`);
    await run.sees("There is no command /settigs: did you mean /settings?");
    expect(chat.server.requests).toEqual([]);
    run.type(`\u0015 /settigs${KEYS.enter}`);
    await run.sees("Sent.");
    expect(JSON.stringify(chat.server.requests.at(-1)?.body)).toContain(" /settigs");
  });

  test("/cost, /settings and /copy are answered by the terminal", async () => {
    await using chat = await chatPlace(says("First.\n\n```sh\nmake it\n```\n"));
    await using run = new TerminalRun([...CHAT, "go"], chat.place);
    await run.sees("make it");
    await isReady(run);
    run.type(`/cost${KEYS.enter}`);
    await run.sees("Messages  1 from you, 1 answers, 0 tool calls");
    run.type(`/settings permissions.mode${KEYS.enter}`);
    await run.sees('permissions.mode = "workspace"');
    run.type(`/copy code${KEYS.enter}`);
    await run.sees("Copied");
    expect(run.raw).toContain(`\u001b]52;c;${Buffer.from("make it").toString("base64")}\u0007`);
    expect(chat.server.requests).toHaveLength(1);
  });

  test("the words of the command line are the first prompt", async () => {
    await using chat = await chatPlace(says("Hello."));
    await using run = new TerminalRun([...CHAT, "say", "hello"], chat.place);
    await run.sees("❯ say hello");
    await run.sees("Hello.");
  });

  test("an output is shown as formatted JSON, with rejected attempts and denied calls", async () => {
    await using chat = await chatPlace(
      callsTools({ name: "bash", args: { command: "touch x" } }),
      callsTools({ name: "structured_output", args: { line: "x" } }),
      callsTools({ name: "structured_output", args: { line: 12 } }),
    );
    const schema = join(chat.place.cwd, "schema.json");
    writeFileSync(schema, '{"type":"object","properties":{"line":{"type":"integer"}},"required":["line"]}');
    await using run = new TerminalRun([...CHAT, "--permissions", "plan", "--output-schema", schema], chat.place);
    await isReady(run);
    run.type(`Report it.${KEYS.enter}`);
    await run.sees("Output rejected (attempt 1, 2 left): /line: must be integer");
    await run.sees('  "line": 12');
    await run.sees("Denied: bash (the preset `plan`)");
    await run.until((screen) => screen.lines().join("\n").includes('Output:\n{\n  "line": 12\n}'), "formatted JSON");
  });

  test("keeps what the user types during an answer, and sends it into the run", async () => {
    const held = heldAnswer();
    await using chat = await chatPlace(held.respond, says("Then this."));
    await using run = new TerminalRun(CHAT, chat.place);
    await isReady(run);
    run.type(`first${KEYS.enter}`);
    await held.asked;
    held.write("one ");
    await run.sees("one");
    run.type("sec");
    await run.until((screen) => screen.screen().includes("sec"));
    held.write("two ");
    await run.sees("one two");
    run.type("ond");
    await run.until((screen) => screen.screen().includes("second"));
    run.type(KEYS.enter);
    await run.sees("next: second");
    held.finish();
    await run.sees("Then this.");
    expect(run.screen.lines().join("\n")).not.toContain("next: second");
    expect(count(run.screen, "one two")).toBe(1);
  });

  test("escape aborts, and what was queued comes back into the editor", async () => {
    const held = heldAnswer();
    await using chat = await chatPlace(held.respond);
    await using run = new TerminalRun(CHAT, chat.place);
    await isReady(run);
    run.type(`go${KEYS.enter}`);
    await held.asked;
    held.write("begun");
    await run.sees("begun");
    run.type(`later${KEYS.altEnter}`);
    await run.sees("then: later");
    run.type(KEYS.escape);
    await held.left;
    await run.until((screen) => screen.screen().includes("later"));
    await run.sees("aborted");
  });

  test("shows a tool call as a row with a folded result, which ctrl+o unfolds in place", async () => {
    const output = Array.from({ length: 30 }, (_, index) => `row ${index + 1}`);
    await using chat = await chatPlace(
      callsTools({ name: "bash", args: { command: "seq -f 'row %g' 30" } }),
      says("Done."),
    );
    await using run = new TerminalRun(CHAT, chat.place);
    await isReady(run);
    run.type(`count${KEYS.enter}`);
    await run.sees("Done.");
    expect(run.screen.lines().join("\n")).toContain("✓ bash seq -f 'row %g' 30");
    expect(run.screen.lines().join("\n")).toContain("… 24 more lines (ctrl+o to expand)");
    expect(count(run.screen, "row 30")).toBe(1);
    expect(count(run.screen, "row 1")).toBe(0);
    run.type(KEYS.ctrlO);
    await run.until((screen) => output.every((line) => count(screen, line) === 1));
    const lines = run.screen.lines().map((line) => line.trim());
    const head = lines.findIndex((line) => line.startsWith("✓ bash"));
    expect(lines.slice(head + 1, head + 33)).toEqual([...output, "", "Done."]);
    expect(lines.filter((line) => line.includes("more lines"))).toEqual([]);
  });

  test("shows folded output in full below when it has scrolled away", async () => {
    const paragraphs = Array.from({ length: 40 }, (_, index) => `Paragraph ${index}.`);
    await using chat = await chatPlace(
      callsTools({ name: "bash", args: { command: "seq -f 'row %g' 30" } }),
      says(paragraphs.join("\n\n")),
    );
    await using run = new TerminalRun([...CHAT, "count"], chat.place);
    await run.sees("Paragraph 39.");
    await isReady(run);
    run.type(KEYS.ctrlO);
    await run.until((screen) => count(screen, "row 1") === 1 && count(screen, "row 30") === 2);
    const lines = run.screen.lines().map((line) => line.trim());
    expect(lines.indexOf("row 1")).toBeGreaterThan(lines.indexOf("Paragraph 39."));
    expect(lines.filter((line) => line.startsWith("Paragraph"))).toEqual(paragraphs);
  });

  test("alt+o unfolds thinking and output from then on", async () => {
    await using chat = await chatPlace(
      callsTools({ name: "bash", args: { command: "seq -f 'first %g' 12" } }),
      callsTools({ name: "bash", args: { command: "seq -f 'second %g' 12" } }),
      says("Done."),
    );
    await using run = new TerminalRun(CHAT, chat.place);
    await isReady(run);
    run.type(`\u001bogo${KEYS.enter}`);
    await run.sees("Done.");
    expect([count(run.screen, "first 1"), count(run.screen, "second 1")]).toEqual([1, 1]);
    expect(run.screen.screen().at(-1)).toContain("all unfolded");
  });

  test("-c continues a session, with its messages", async () => {
    await using chat = await chatPlace(says("Remembered."));
    {
      await using run = new TerminalRun([...CHAT, "remember this"], chat.place);
      await run.sees("Remembered.");
      run.type(KEYS.ctrlD);
      await run.exited;
    }
    await using run = new TerminalRun([...CHAT, "-c"], chat.place);
    await run.sees("❯ remember this");
    await run.sees("Remembered.");
  });

  test("attaches an image that the prompt names", async () => {
    await using chat = await chatPlace(says("I see."));
    letSeeImages(chat.place);
    writeFileSync(join(chat.place.cwd, "dot.png"), solidPng(2, 2, [200, 30, 30]));
    await using run = new TerminalRun(CHAT, chat.place);
    await isReady(run);
    run.type("what is on @dot.png");
    await run.until((screen) => screen.screen().some((line) => /→ dot\.png +PNG 2×2, 1 KB/.test(line)));
    await run.until((screen) => screen.screen().includes("  ▀▀"), "a preview of the image");
    run.type("\t");
    await run.until((screen) => !screen.screen().includes("  ▀▀"), "the preview is gone");
    run.type(KEYS.enter);
    await run.sees("I see.");
    expect(JSON.stringify(chat.server.requests.at(-1)?.body)).toContain("data:image/png;base64");
  });

  test("opens the message in the user's own editor", async () => {
    await using chat = await chatPlace(says("Bye."));
    await using run = new TerminalRun(CHAT, chat.place, { env: { EDITOR: "sed -i s/hello/goodbye/" } });
    await isReady(run);
    run.type("hello world");
    await run.until((screen) => screen.screen().includes("hello world"));
    run.type(KEYS.ctrlG);
    await run.until((screen) => screen.screen().includes("goodbye world"));
    run.type(KEYS.enter);
    await run.sees("❯ goodbye world");
  });

  test("ignores outdated completions", async () => {
    await using chat = await chatPlace(says("Read."));
    await using run = new TerminalRun(CHAT, chat.place);
    await isReady(run);
    run.type("/he");
    await run.until((screen) => screen.screen().some((line) => line.includes("→ /help")));
    run.type(`\u0015say made.txt${KEYS.enter}`);
    await run.sees("Read.");
    expect(run.screen.lines()).toContain("❯ say made.txt");
  });

  test("runs the user's command and shows its output once", async () => {
    await using chat = await chatPlace();
    await using run = new TerminalRun(CHAT, chat.place);
    await isReady(run);
    run.type(`!echo out of it${KEYS.enter}`);
    await run.until((screen) => count(screen, "out of it") > 0);
    await isReady(run);
    expect(count(run.screen, "out of it")).toBe(1);
  });
});

describe("display", () => {
  test("places wide characters and emoji in the right columns, typed and answered", async () => {
    await using chat = await chatPlace(says("日本語 🙂 done"));
    await using run = new TerminalRun(CHAT, chat.place, { columns: 30 });
    await isReady(run);
    run.type("日本🙂");
    await run.until((screen) => screen.screen().includes("日本🙂"));
    expect(run.screen.cursor().col).toBe(6);
    run.type(KEYS.enter);
    await run.sees("日本語 🙂 done");
    expect(count(run.screen, "日本語 🙂 done")).toBe(1);
  });

  test("continues an answer in a narrower window and shows nothing twice", async () => {
    const held = heldAnswer();
    await using chat = await chatPlace(held.respond);
    await using run = new TerminalRun(CHAT, chat.place, { columns: 60 });
    await isReady(run);
    run.type(`go${KEYS.enter}`);
    await held.asked;
    held.write("A first paragraph that is final.\n\nA second one");
    await run.sees("A second one");
    run.resize(36, 20);
    const border = "─".repeat(36);
    await run.until((screen) => screen.screen().join("\n").includes(`${border}\n\n${border}\n`), "a drawn editor");
    held.write(" that ends here.\n");
    held.finish();
    await run.sees("A second one that ends here.");
    await isReady(run);
    const lines = run.screen.lines();
    expect(count(run.screen, "A first paragraph that is final.")).toBe(1);
    expect(count(run.screen, "A second one that ends here.")).toBe(1);
    expect(lines.filter((line) => line.startsWith("──"))).toEqual([border, border]);
  });

  test("works in a very narrow and low window", async () => {
    await using chat = await chatPlace(says("Some words in a row."));
    await using run = new TerminalRun([...CHAT, "hi"], chat.place, { columns: 12, rows: 6 });
    await run.until((screen) => screen.lines().join(" ").includes("in a row."));
    expect(run.screen.screen().length).toBeLessThanOrEqual(6);
  });

  test("lays out the help for a narrow window", async () => {
    await using chat = await chatPlace();
    await using run = new TerminalRun(CHAT, chat.place, { columns: 24 });
    await isReady(run);
    run.type("?");
    await run.sees("the next permission");
    expect(run.screen.lines().join("\n")).toContain("shift+tab\n  the next permission\n  preset: plan, ask,");
  });

  test("writes ten thousand lines to the history, once and in order", async () => {
    const code = Array.from({ length: 10_000 }, (_, index) => `line ${index}`);
    await using chat = await chatPlace(says(`\`\`\`\n${code.join("\n")}\n\`\`\`\nThe end.`));
    await using run = new TerminalRun([...CHAT, "much"], chat.place);
    await run.sees("The end.");
    const shown = run.screen.lines().flatMap((line) => (/^ +line \d+$/.test(line) ? [line.trim()] : []));
    expect(shown).toEqual(code);
  });

  test("shows a paste of a megabyte as a block and sends it in full", async () => {
    const lines = Array.from({ length: 20_000 }, (_, index) => `${index} `.padEnd(52, "x"));
    await using chat = await chatPlace(says("Much text."));
    await using run = new TerminalRun(CHAT, chat.place);
    await isReady(run);
    run.type(`\u001b[200~${lines.join("\n")}\u001b[201~`);
    await run.until((screen) => screen.screen().some((line) => line.includes("[paste #1")), "the block");
    run.type(KEYS.enter);
    await run.sees("Much text.");
    const [request] = chat.server.requests;
    expect(JSON.stringify(request?.body)).toContain(lines.at(-1)!);
  });

  test("never passes escape sequences in answers, names or output to the terminal", async () => {
    const hostile = [
      "\u001b]0;owned\u0007",
      "\u001b]52;c;b3duZWQ=\u0007",
      "\u001b[2J\u001b[3J",
      "\u001bP1;1|x\u001b\\",
      "\u009b31m",
      "\u001b[?1049h",
      "\u202egnp.exe",
      "&#27;]0;owned&#7;",
      "[link](https://x.test/\u001b]0;owned\u0007)",
    ].join(" ");
    const command = `printf '\\033]0;owned\\007\\033[2Jplain'`;
    await using chat = await chatPlace(
      callsTools({ name: "bash", args: { command } }, { name: `bad\u001b]0;owned\u0007`, args: { path: hostile } }),
      says(`${hostile}\n\n\`\`\`\u001b]0;owned\u0007\n${hostile}\n\`\`\`\nthe end`),
    );
    await using run = new TerminalRun([...CHAT, `mine ${hostile}`], chat.place);
    await run.sees("the end");
    expect(run.raw).not.toContain("\u001b]0;");
    expect(run.raw).not.toContain("\u001b]52;");
    expect(run.raw).not.toContain("\u001bP");
    expect(run.raw).not.toContain("\u001b[2J");
    expect(run.raw).not.toContain("\u001b[3J");
    expect(run.raw).not.toContain("\u001b[?1049h");
    expect(run.raw).not.toContain("\u009b");
    expect(run.raw).not.toContain("\u202e");
    expect(run.screen.lines().join("\n")).toContain("␛]0;owned");
  });

  test("draws a tool's image if the terminal can, and otherwise shows a line", async () => {
    const read = callsTools({ name: "read", args: { path: "dot.png" } });
    const answers = [read, says("Seen."), read, says("Seen."), read, says("Seen.")];
    await using chat = await chatPlace(...answers);
    letSeeImages(chat.place);
    writeFileSync(join(chat.place.cwd, "dot.png"), Buffer.from(DOT, "base64"));
    const drawings = { kitty: "\u001b_Ga=T", sixel: "\u001bP0;1;0q" };
    for (const [options, drawn] of [
      [{ env: { TERM_PROGRAM: "kitty" } }, ["kitty"]],
      [{ attributes: "\u001b[?62;4;22c" }, ["sixel"]],
      [{}, []],
    ] as const) {
      await using run = new TerminalRun([...CHAT, "look"], chat.place, options);
      await run.sees("Seen.");
      expect(run.screen.lines().join("\n")).toContain("image/png");
      const found = Object.entries(drawings).flatMap(([name, start]) => (run.raw.includes(start) ? [name] : []));
      expect<readonly string[]>(found).toEqual(drawn);
    }
  });

  test("NO_COLOR leaves colours out", async () => {
    await using chat = await chatPlace(says("# Head\n\n`code` and **bold**"));
    await using run = new TerminalRun([...CHAT, "hi"], chat.place, { env: { NO_COLOR: "1" } });
    await run.sees("code and bold");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequence for a color
    expect(run.raw).not.toMatch(/\u001b\[(3[0-7]|4[0-7]|9[0-7]|38|48)[;m]/);
  });
});

describe("when something ends", () => {
  test("restarts a killed engine with its session", async () => {
    await using chat = await chatPlace(says("Before."), says("After."));
    await using run = new TerminalRun([...CHAT, "one"], chat.place);
    await run.sees("Before.");
    await isReady(run);
    process.kill(engineOf(run.pid), "SIGKILL");
    await run.sees("was ended by SIGKILL");
    await run.sees("The session continues.");
    await isReady(run);
    run.type(`two${KEYS.enter}`);
    await run.sees("After.");
    expect(JSON.stringify(chat.server.requests.at(-1)?.body)).toContain("Before.");
    expect(count(run.screen, "Before.")).toBe(1);
  });

  test("a killed program leaves no engine behind, and -c continues the session", async () => {
    const held = heldAnswer();
    await using chat = await chatPlace(says("Before."), held.respond, says("After."));
    {
      await using run = new TerminalRun([...CHAT, "one"], chat.place);
      await run.sees("Before.");
      await isReady(run);
      run.type(`two${KEYS.enter}`);
      await held.asked;
      held.write("half of ");
      await run.sees("half of");
      const engine = engineOf(run.pid);
      process.kill(run.pid, "SIGKILL");
      await held.left;
      while (isAlive(engine)) await Bun.sleep(20);
    }
    await using run = new TerminalRun([...CHAT, "-c"], chat.place);
    await run.sees("❯ two");
    expect(count(run.screen, "Before.")).toBe(1);
    run.type(`three${KEYS.enter}`);
    await run.sees("After.");
  });

  test("closing the terminal ends the program and its engine", async () => {
    const held = heldAnswer();
    await using chat = await chatPlace(held.respond);
    await using run = new TerminalRun([...CHAT, "long"], chat.place);
    await held.asked;
    const engine = engineOf(run.pid);
    run.closeTerminal();
    await run.exited;
    await held.left;
    while (isAlive(engine)) await Bun.sleep(20);
    expect(isAlive(engine)).toBe(false);
  });

  test("a dumb terminal gets only the answer, without escape sequences", async () => {
    await using chat = await chatPlace(says("Plain."));
    const options = { env: { TERM: "dumb" } };
    await using run = new TerminalRun([...CHAT, "hi"], chat.place, options);
    expect(await run.exited).toBe(0);
    await run.sees("Plain.");
    expect(run.raw).not.toContain("\u001b");
    await using empty = new TerminalRun(CHAT, chat.place, options);
    expect(await empty.exited).toBe(2);
    await empty.sees("TERM=dumb allows no conversation");
  });

  test("reports an interrupted run once when its session is reopened, and how to continue it", async () => {
    const held = heldAnswer();
    await using chat = await chatPlace(held.respond, says("More."));
    {
      await using run = new TerminalRun([...CHAT, "go"], chat.place);
      await held.asked;
      run.type(KEYS.escape);
      await run.sees("aborted");
      run.type(KEYS.ctrlC + KEYS.ctrlC);
      expect(await run.exited).toBe(0);
    }
    await using again = new TerminalRun([...CHAT, "--continue"], chat.place);
    await again.sees("/continue resumes");
    await again.sees("The last run was aborted.");
    expect(again.screen.lines().filter((line) => line.includes("The last run"))).toHaveLength(1);
    again.type(`/continue${KEYS.enter}`);
    await again.sees("More.");
  });

  test("reports a session that cannot be opened, also in the exit code", async () => {
    await using chat = await chatPlace();
    await using run = new TerminalRun([...CHAT, "--session", "nowhere"], chat.place);
    expect(await run.exited).toBe(2);
    await run.until((screen) => screen.lines().join("\n") === "pintle: Session not found: nowhere");
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** The program's child process. */
function engineOf(pid: number): number {
  const { stdout } = Bun.spawnSync(["ps", "-o", "pid=", "--ppid", String(pid)]);
  return Number(stdout.toString().trim().split("\n")[0]);
}

describe("a window without the focus", () => {
  test("is called when a run ends, and not while it has the focus", async () => {
    const held = heldAnswer();
    await using chat = await chatPlace(says("First."), held.respond);
    await using run = new TerminalRun([...CHAT, "go"], chat.place);
    await run.sees("First.");
    await isReady(run);
    expect(run.raw).not.toContain("\u0007\u0007");
    const before = bells(run);
    run.type(`again${KEYS.enter}`);
    await held.asked;
    run.type("\u001b[Odraft");
    await run.until((screen) => screen.screen().includes("draft"), "that the report was read");
    held.write("Second.");
    held.finish();
    await run.until(() => bells(run) > before, "the bell");
    expect(bells(run)).toBe(before + 1);
  });
});

/** Counts bells; the same character ends other sequences. */
function bells(run: TerminalRun): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: sequences that end with a bell
  return run.raw.replace(/\u001b\][^\u0007]*\u0007/g, "").split("\u0007").length - 1;
}

test("a standing todo list is folded with a key and goes away when nothing is open", async () => {
  const list = (status: string) => ({
    todos: [
      { content: "Read it", status: "completed" },
      { content: "Fix it", status },
    ],
  });
  await using chat = await chatPlace(
    callsTools({ name: "todo_write", args: list("in_progress") }),
    heldAnswer().respond,
  );
  await using run = new TerminalRun([...CHAT, "go"], chat.place);
  await run.sees("Tasks · 1 of 2 done");
  await run.sees("  ▶ Fix it");
  run.type("\u001bt");
  await run.until((screen) => screen.screen().some((line) => line.startsWith("▶ Fix it · 1 of 2 done")), "one line");
});
