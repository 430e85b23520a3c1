import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CHAT, callsTools, chatPlace, says } from "../../coding-agent/test/support/scenarios/chat-server.ts";
import { testWith } from "../../coding-agent/test/support/system-tool.ts";
import { FOCUSED, KEYS, TerminalRun, UNFOCUSED } from "./support/terminal-run.ts";
import { Tmux } from "./support/tmux.ts";

const inTmux = testWith("tmux");

const FILES: Readonly<Record<string, string>> = {
  "a.ts": "foo(1);\n\n\n\n\n\n\n\nfoo(2);\n",
  "b.ts": "foo(3);\n",
};
const CALL = callsTools({ name: "ast_edit", args: { ops: [{ pat: "foo($A)", out: "bar($A)" }], path: "." } });

async function staged() {
  const chat = await chatPlace(CALL, says("Done."), says("Done."));
  const path = (name: string) => join(chat.place.cwd, name);
  for (const [name, text] of Object.entries(FILES)) writeFileSync(path(name), text);
  const read = () => Object.keys(FILES).map((name) => readFileSync(path(name), "utf8"));
  const told = () => JSON.stringify(chat.server.requests.at(-1)?.body);
  return { chat, path, read, told };
}

const shown = (tmux: Tmux) => tmux.screen().join("\n");

/** Gives the question the keyboard focus, unless it already has it, and chooses its third answer. */
async function openParts(tmux: Tmux): Promise<void> {
  const isAsked = (text: string) =>
    text.includes("choose hunks") && (text.includes(UNFOCUSED) || text.includes(FOCUSED));
  await tmux.until(() => isAsked(shown(tmux)));
  if (shown(tmux).includes(UNFOCUSED)) tmux.press("Tab");
  await tmux.until(() => shown(tmux).includes(FOCUSED));
  for (const key of ["Down", "Down", "Enter"]) tmux.press(key);
}

inTmux("applies the hunks that the user chooses with the keyboard, in a window of any size", async () => {
  for (const [columns, rows] of [
    [80, 24],
    [36, 16],
  ] as const) {
    const { chat, read, told } = await staged();
    await using _ = chat;
    await using tmux = new Tmux(chat.place, columns, rows);
    const shows = (text: string) => tmux.until(() => shown(tmux).includes(text));
    await tmux.until(() => tmux.screen().at(-1)?.trim() === "shell>");
    tmux.start([...CHAT, "go"]);
    await openParts(tmux);
    await shows("enter applies 3 of 3");
    expect(shown(tmux)).toContain("→ [x] a.ts");
    tmux.press("Down");
    await shows("→   [x] line 1");
    tmux.press("Space");
    await shows("→   [ ] line 1");
    expect(shown(tmux)).toContain("[~] a.ts");
    await shows("enter applies 2 of 3");
    tmux.press("Enter");
    await shows("Done.");
    expect(read()).toEqual([FILES["a.ts"]!.replace("foo(2)", "bar(2)"), "bar(3);\n"]);
    expect(told()).toContain("Applied: a.ts:9, b.ts");
    expect(tmux.lines().join("\n")).toContain("partly applied");
  }
});

inTmux("applies what the user has made of a file in an editor, and discards the rest", async () => {
  const { chat, read, told } = await staged();
  await using _ = chat;
  const env = { ...chat.place.env, VISUAL: "sed -i s/bar/edited/" };
  await using tmux = new Tmux({ ...chat.place, env });
  const shows = (text: string) => tmux.until(() => shown(tmux).includes(text));
  await tmux.until(() => tmux.screen().at(-1)?.trim() === "shell>");
  tmux.start([...CHAT, "go"]);
  await openParts(tmux);
  await shows("enter applies 3 of 3");
  tmux.press("e");
  await shows("edited");
  await shows("enter applies 2 of 2");
  tmux.press("Down");
  await shows("→ [x] b.ts");
  tmux.press("Space");
  await shows("enter applies 1 of 2");
  tmux.press("Enter");
  await shows("Done.");
  expect(read()).toEqual([FILES["a.ts"]!.replaceAll("foo", "edited"), "foo(3);\n"]);
  expect(told()).toContain("The user edited the proposed text");
});

test("asks again if a file has changed since, and keeps what was chosen", async () => {
  const { chat, path, read } = await staged();
  await using _ = chat;
  await using run = new TerminalRun([...CHAT, "go"], chat.place);
  await run.focuses("choose hunks");
  run.type(KEYS.down + KEYS.down + KEYS.enter);
  await run.sees("enter applies 3 of 3");
  run.type(KEYS.down);
  await run.sees("→   [x] line 1");
  run.type(" ");
  await run.sees("enter applies 2 of 3");
  writeFileSync(path("a.ts"), "// changed\nfoo(2);\n");
  run.type(KEYS.enter);
  await run.sees("changed since the preview");
  await run.focuses("choose hunks");
  run.type(KEYS.down + KEYS.down + KEYS.enter);
  await run.until((screen) => screen.screen().join("\n").includes("enter applies 2 of 3"), "the same choice");
  run.type("a");
  await run.sees("enter applies 3 of 3");
  run.type("a");
  await run.sees("nothing is chosen");
  run.type(KEYS.enter); // does nothing
  run.type(KEYS.escape);
  await run.focuses("choose hunks");
  run.type(KEYS.enter);
  await run.sees("discarded");
  expect(read()).toEqual(["// changed\nfoo(2);\n", "foo(3);\n"]);
});
