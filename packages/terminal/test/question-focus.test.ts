import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  CHAT,
  callsTools,
  chatPlace,
  heldAnswer,
  says,
} from "../../coding-agent/test/support/scenarios/chat-server.ts";
import { FOCUSED, KEYS, TerminalRun, UNFOCUSED } from "./support/terminal-run.ts";

const ASK = [...CHAT, "--permissions", "ask"];
const TOUCH = callsTools({ name: "bash", args: { command: "touch made" } });
const shows = (...texts: string[]) => {
  return (run: TerminalRun) =>
    run.until((screen) => texts.every((text) => screen.screen().join("\n").includes(text)), texts.join(", "));
};
const sees = async (run: TerminalRun, ...texts: string[]) => shows(...texts)(run);

describe("a question that comes while the user types", () => {
  test("leaves the keyboard with the message, which is queued, and is answered when it is called", async () => {
    const answer = heldAnswer();
    await using chat = await chatPlace(answer.respond, TOUCH, says("Well."), says("Read."));
    await using run = new TerminalRun([...ASK, "first"], chat.place);
    await answer.asked;
    answer.write("Thinking about it.");
    await run.sees("Thinking about it.");
    run.type("a note");
    await sees(run, "a note");
    run.type(KEYS.enter); // steers the run, so that the held answer is followed by a call
    await sees(run, "next: a note");
    run.type("half a mess");
    await sees(run, "half a mess");
    answer.finish();
    await sees(run, "touch made", UNFOCUSED, "half a mess");
    run.type("age");
    await sees(run, "half a message", UNFOCUSED);
    run.type(KEYS.enter);
    await sees(run, "next: half a message", UNFOCUSED); // queued, and the question is still open
    expect(existsSync(join(chat.place.cwd, "made"))).toBe(false);
    run.type("kept");
    await sees(run, "kept", UNFOCUSED);
    run.type(KEYS.tab);
    await sees(run, "→ 1 deny", FOCUSED, "kept");
    run.type(KEYS.enter);
    await run.sees("✗ bash");
    expect(existsSync(join(chat.place.cwd, "made"))).toBe(false);
    await sees(run, "kept");
    await run.sees("❯ half a message");
  });

  test("gives the keyboard back when text is typed or pasted, and stays open", async () => {
    await using chat = await chatPlace(TOUCH, says("Well."));
    await using run = new TerminalRun([...ASK, "go"], chat.place);
    await run.focuses("touch made");
    run.type("x"); // not a key of the list
    await sees(run, UNFOCUSED);
    run.type(KEYS.tab);
    await sees(run, FOCUSED);
    run.type(`\u001b[200~es\r\u001b[201~`);
    await sees(run, "xes", UNFOCUSED);
    run.type(`\t\r`); // read together: the enter came before the question was shown with the keyboard focus
    await sees(run, FOCUSED, "→ 1 deny");
    run.type(KEYS.tab);
    await sees(run, UNFOCUSED);
    expect(existsSync(join(chat.place.cwd, "made"))).toBe(false);
    expect(chat.server.requests).toHaveLength(1);
  });
});

test("a rule is stored when it is chosen, not by pressing enter twice", async () => {
  await using chat = await chatPlace(TOUCH, says("Done."));
  await using run = new TerminalRun([...ASK, "go"], chat.place, { rows: 40 });
  const settings = join(chat.place.env.PINTLE_HOME ?? "", "settings.json");
  await run.focuses("touch made");
  run.type(KEYS.down + KEYS.down + KEYS.down);
  await sees(run, "→ 4 allow always");
  run.type(KEYS.enter + KEYS.enter);
  await run.focuses("allow always");
  expect([existsSync(settings), existsSync(join(chat.place.cwd, "made"))]).toEqual([false, false]);
  run.type(KEYS.down + KEYS.down + KEYS.down);
  await sees(run, "→ 4 allow always");
  run.type(KEYS.enter);
  await sees(run, "→ 1 none, go back");
  run.type(KEYS.down + KEYS.enter);
  await run.sees("Done.");
  expect(readFileSync(settings, "utf8")).toContain("touch made");
});

test("a staged change is discarded by what is preselected, and seen in full without an answer", async () => {
  const edit = { ops: [{ pat: "foo($A)", out: "bar($A)" }], path: "a.ts", lang: "typescript" };
  await using chat = await chatPlace(callsTools({ name: "ast_edit", args: edit }), says("Done."), says("Done."));
  writeFileSync(join(chat.place.cwd, "a.ts"), "foo(1);\n");
  await using run = new TerminalRun([...CHAT, "go"], chat.place, { env: { PAGER: "cat" } });
  await run.focuses("discard");
  run.type(KEYS.down + KEYS.down + KEYS.down + KEYS.enter);
  await run.sees("1 + bar(1);");
  await sees(run, "→ 4 view everything", FOCUSED);
  run.type(KEYS.up);
  await sees(run, "→ 3 choose hunks");
  run.type(KEYS.up);
  await sees(run, "→ 2 apply");
  run.type(KEYS.up);
  await sees(run, "→ 1 discard");
  run.type(KEYS.up);
  run.type(KEYS.enter);
  await run.sees("Done.");
  expect(readFileSync(join(chat.place.cwd, "a.ts"), "utf8")).toBe("foo(1);\n");
});

describe("the keys of a question", () => {
  test("y allows once, after the question was called", async () => {
    await using chat = await chatPlace(TOUCH, says("Done."));
    await using run = new TerminalRun([...ASK, "go"], chat.place);
    await run.until((screen) => screen.screen().join("\n").includes("2 allow once (y)"), "the question");
    await callQuestion(run);
    run.type("y");
    await run.sees("Done.");
    expect(existsSync(join(chat.place.cwd, "made"))).toBe(true);
  });

  test("e denies with a note, which the model gets", async () => {
    await using chat = await chatPlace(TOUCH, says("Well."));
    await using run = new TerminalRun([...ASK, "go"], chat.place);
    await run.sees("2 allow once (y)");
    await callQuestion(run);
    run.type("e");
    await run.sees("Deny, and tell the model:");
    run.type("use mktemp");
    await run.sees("> use mktemp");
    run.type(KEYS.enter);
    await run.sees("Well.");
    expect(existsSync(join(chat.place.cwd, "made"))).toBe(false);
    expect(JSON.stringify(chat.server.requests.at(-1)?.body)).toContain("use mktemp");
  });

  test("at 40 columns, the rule that would be stored is shown in full", async () => {
    const command = "touch a-file-with-quite-a-long-name-in-this-directory";
    await using chat = await chatPlace(callsTools({ name: "bash", args: { command } }), says("Well."));
    await using run = new TerminalRun([...ASK, "go"], chat.place, { columns: 40, rows: 40 });
    await run.sees("5 deny, and stop the run");
    const shown = run.screen.screen().join("").replaceAll(" ", "");
    const rule = `Allowedinthissessionoralways:${command}(in${chat.place.cwd})`.replaceAll(" ", "");
    expect(shown).toContain(rule);
  });
});

/** Gives the question on the screen the keyboard focus with the user's key. */
async function callQuestion(run: TerminalRun): Promise<void> {
  const shows = (hint: string) => run.screen.screen().join("\n").includes(hint);
  await run.until(() => shows(UNFOCUSED) || shows(FOCUSED), "the question");
  if (shows(FOCUSED)) {
    run.type(KEYS.tab);
    await run.until(() => shows(UNFOCUSED), "the message");
  }
  run.type(KEYS.tab);
  await run.until(() => shows(FOCUSED), "the question with the keyboard");
}

describe("a budget that is used up", () => {
  const LS = callsTools({ name: "ls", args: {} });
  const LIMITED = [...CHAT, "--budget", "turns=1", "go"];

  test("ends the run by what is preselected", async () => {
    await using chat = await chatPlace(LS, says("Never."));
    await using run = new TerminalRun(LIMITED, chat.place);
    await run.focuses("The budget of this run is used up");
    await sees(run, "1 turn of 1 turn used", "→ 1 end the run");
    run.type(KEYS.enter);
    await run.until((screen) => !screen.screen().join("\n").includes(FOCUSED), "the question is gone");
    run.type("again");
    await sees(run, "again");
    run.type(KEYS.enter);
    await run.until(() => chat.server.requests.length === 2, "the next run");
    expect(chat.server.requests).toHaveLength(2);
  });

  test("does not take the enter of a message, and continues with a total that is chosen or typed", async () => {
    const answer = heldAnswer();
    await using chat = await chatPlace(answer.respond, LS, LS, LS, says("All done."));
    await using run = new TerminalRun([...CHAT, "--budget", "turns=1,scope=session", "go"], chat.place);
    await answer.asked;
    run.type("a note");
    await sees(run, "a note");
    run.type(KEYS.enter); // steers, so that another turn follows
    await sees(run, "next: a note");
    run.type("half");
    await sees(run, "half");
    answer.write("Well.");
    answer.finish();
    await sees(run, "The budget of this session is used up", UNFOCUSED, "half");
    run.type(KEYS.enter);
    await sees(run, "next: half", UNFOCUSED);
    expect(chat.server.requests).toHaveLength(1);
    run.type(KEYS.tab);
    await sees(run, FOCUSED, "→ 1 end the run");
    run.type(KEYS.down);
    await sees(run, "→ 2 continue up to 2 turns");
    run.type(KEYS.enter);
    await run.focuses("2 turns of 2 turns used");
    run.type(KEYS.down + KEYS.down);
    await sees(run, "→ 3 continue up to another total");
    run.type(KEYS.enter);
    await sees(run, "New total in turns, more than 2");
    run.type(`2${KEYS.enter}`);
    await sees(run, "2 is not a number above 2");
    await run.focuses("2 turns of 2 turns used");
    run.type(KEYS.down + KEYS.down);
    await sees(run, "→ 3 continue up to another total");
    run.type(KEYS.enter);
    await sees(run, "New total in turns, more than 2");
    run.type("9");
    await sees(run, "> 9");
    run.type(KEYS.enter);
    await run.sees("All done.");
    expect(chat.server.requests).toHaveLength(5);
  });
});

describe("the permission preset", () => {
  const isPreset = (run: TerminalRun, name: string) =>
    run.until((screen) => screen.screen().at(-1)?.includes(`· ${name} ·`) ?? false, name);

  test("is never full by shift+tab", async () => {
    await using chat = await chatPlace();
    await using run = new TerminalRun([...CHAT, "--permissions", "plan"], chat.place);
    await isPreset(run, "plan");
    for (const preset of ["ask", "workspace", "plan", "ask"]) {
      run.type(KEYS.shiftTab);
      await isPreset(run, preset);
      expect(run.screen.screen().at(-1)).not.toContain("full");
    }
  });

  test("becomes full by its name, or by a confirmation that says what ends", async () => {
    await using chat = await chatPlace();
    await using run = new TerminalRun([...CHAT, "--permissions", "ask"], chat.place);
    await isPreset(run, "ask");
    run.type("/permissions");
    await sees(run, "/permissions");
    run.type(` full${KEYS.enter}`);
    await isPreset(run, "full");
    run.type(KEYS.shiftTab);
    await isPreset(run, "plan");
    run.type(`/permissions nonsense${KEYS.enter}`);
    await run.sees('There is no permission preset "nonsense"');
    for (const [keys, preset] of [
      [KEYS.enter, "plan"],
      [KEYS.down + KEYS.enter, "full"],
    ] as const) {
      run.type(`/permissions `);
      await sees(run, "/permissions");
      run.type(KEYS.enter);
      await sees(run, "no sandbox, no questions");
      run.type("full");
      await sees(run, "filter: full");
      run.type(KEYS.enter);
      await sees(run, "turns off the sandbox and all questions");
      run.type(keys);
      await isPreset(run, preset);
      await run.until((screen) => !screen.screen().join("\n").includes("turns off the sandbox"), "the list is gone");
    }
  });
});
