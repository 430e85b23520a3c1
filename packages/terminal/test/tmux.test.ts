import { expect } from "bun:test";
import { CHAT, chatPlace, heldAnswer, says } from "../../coding-agent/test/support/scenarios/chat-server.ts";
import { testWith } from "../../coding-agent/test/support/system-tool.ts";
import { Tmux } from "./support/tmux.ts";

const inTmux = testWith("tmux");
const isReady = (tmux: Tmux) =>
  (tmux.screen().at(-1)?.startsWith("m ·") ?? false) && !tmux.screen().some((row) => row.endsWith("escape stops"));
const isAtShell = (tmux: Tmux) => tmux.screen().at(-1)?.trim() === "shell>";

inTmux("ctrl+z suspends, fg returns, and the session continues", async () => {
  await using chat = await chatPlace(says("Still here."));
  await using tmux = new Tmux(chat.place);
  await tmux.until(isAtShell);
  tmux.start(CHAT);
  await tmux.until(isReady);
  tmux.type("half a prompt");
  await tmux.until(() => tmux.screen().includes("half a prompt"));
  tmux.press("C-z");
  await tmux.until(isAtShell);
  tmux.type("fg");
  tmux.press("Enter");
  await tmux.until((shown) => isReady(shown) && shown.screen().includes("half a prompt"));
  tmux.press("Enter");
  await tmux.until((shown) => shown.screen().includes("Still here."));
  expect(tmux.screen()).toContain("Still here.");
});

inTmux("an answer continues while the window is resized, and is in the history once", async () => {
  const held = heldAnswer();
  await using chat = await chatPlace(held.respond);
  await using tmux = new Tmux(chat.place, 100, 20);
  await tmux.until(isAtShell);
  tmux.start([...CHAT, "go"]);
  await held.asked;
  const paragraph = (index: number) => `Paragraph ${index} of the answer.`;
  for (let index = 0; index < 30; index += 1) held.write(`${paragraph(index)}\n\n`);
  await tmux.until((shown) => shown.screen().some((line) => line.includes(paragraph(29))));
  for (const columns of [70, 45, 90, 60]) {
    tmux.resize(columns, 20);
    held.write(`Now ${columns} wide. `);
    await tmux.until((shown) => shown.screen().some((line) => line.includes(`Now ${columns} wide.`)));
  }
  held.finish();
  await tmux.until(isReady);
  tmux.press("C-d");
  await tmux.until(isAtShell);
  const said = tmux.lines().flatMap((line) => /Paragraph (\d+) of/.exec(line)?.[1] ?? []);
  expect(said).toEqual(Array.from({ length: 30 }, (_, index) => String(index)));
});
