import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { runProgram } from "../../coding-agent/test/support/program.ts";
import {
  CHAT,
  type ChatPlace,
  chatPlace,
  heldAnswer,
  says,
} from "../../coding-agent/test/support/scenarios/chat-server.ts";
import { startRpc } from "../../coding-agent/test/support/scenarios/rpc-child.ts";
import { isReady, KEYS, TerminalRun } from "./support/terminal-run.ts";

// Tests generated titles in the built program. The model `thinker` writes them.

function useTitleModel({ place }: ChatPlace, model = "local/thinker"): void {
  writeFileSync(
    join(place.env.PINTLE_HOME as string, "settings.json"),
    JSON.stringify({ "session.titleModel": model }),
  );
}

const models = ({ server }: ChatPlace) => server.requests.map(({ body }) => (body as { model: string }).model);
const shows = (run: TerminalRun, text: string) =>
  run.until((screen) => screen.screen().at(-1)?.includes(text) ?? false, `${text} in the status line`);

test("the title model names a session after its first answer, and only once", async () => {
  await using chat = await chatPlace(says("Done."), says('"Fix the parser."'), says("Again."));
  useTitleModel(chat);
  await using run = new TerminalRun([...CHAT, "please fix the parser"], chat.place);
  await shows(run, "Fix the parser");
  expect(JSON.stringify(chat.server.requests[1]?.body)).toContain("please fix the parser");
  run.type(`more${KEYS.enter}`);
  await run.sees("Again.");
  await isReady(run);
  expect(models(chat)).toEqual(["m", "thinker", "m"]);
  run.type("\u0013"); // ctrl+s
  await run.sees("→ Fix the parser");
});

test("a run cancels the request for a title, and the next one that ends sends it again", async () => {
  const held = heldAnswer();
  await using chat = await chatPlace(says("Done."), held.respond, says("Again."), says("Second title"));
  useTitleModel(chat);
  await using run = new TerminalRun([...CHAT, "first"], chat.place);
  await held.asked;
  run.type(`second${KEYS.enter}`);
  await run.sees("Again.");
  await held.left;
  await shows(run, "Second title");
  expect(models(chat)).toEqual(["m", "thinker", "m", "thinker"]);
});

test("a name that the user sets while the title is written is kept", async () => {
  const held = heldAnswer();
  await using chat = await chatPlace(says("Done."), held.respond, says("Again."));
  useTitleModel(chat);
  await using run = new TerminalRun([...CHAT, "first"], chat.place);
  await held.asked;
  run.type(`/name mine${KEYS.enter}`);
  await shows(run, "mine");
  held.write("Generated");
  held.finish();
  await isReady(run);
  run.type(`second${KEYS.enter}`);
  await run.sees("Again.");
  await isReady(run);
  await shows(run, "mine");
  expect(models(chat)).toEqual(["m", "thinker", "m"]);
});

test("a title model that fails or does not exist is reported once", async () => {
  await using chat = await chatPlace(says("Done."), says("Again."));
  useTitleModel(chat, "local/unknown");
  await using run = new TerminalRun([...CHAT, "first"], chat.place, { columns: 120 });
  await run.sees("session.titleModel names no available model: local/unknown");
  await isReady(run);
  run.type(`second${KEYS.enter}`);
  await run.sees("Again.");
  await isReady(run);
  expect(run.screen.lines().filter((line) => line.includes("no available model"))).toHaveLength(1);
});

test("neither RPC mode nor a single answer generates titles", async () => {
  await using chat = await chatPlace(says("One."), says("Two."), says("Three."));
  useTitleModel(chat);
  const { stdout } = await runProgram([...CHAT, "-p", "one"], chat.place);
  expect(stdout).toContain("One.");
  await using rpc = await startRpc(CHAT, chat.place);
  await rpc.call("set_host_capabilities", { ui: true });
  for (const message of ["two", "three"]) {
    await rpc.call("prompt", { message });
    await rpc.until(({ type, text }) => type === "prompt_result" && text === (message === "two" ? "Two." : "Three."));
  }
  const { data } = await rpc.call("get_state", { brief: true });
  expect(data.sessionName).toBeUndefined();
  expect(models(chat)).toEqual(["m", "m", "m"]);
});
