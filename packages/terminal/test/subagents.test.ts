import { expect, test } from "bun:test";
import { CHAT, callsTools, chatPlace, says } from "../../coding-agent/test/support/scenarios/chat-server.ts";
import { isReady, KEYS, TerminalRun } from "./support/terminal-run.ts";

test("a call of task shows a line per subagent: its tool, tokens and cost", async () => {
  const wait = "until [ -e go ]; do sleep 0.02; done";
  await using chat = await chatPlace(
    callsTools({ name: "task", args: { tasks: [{ name: "tester", task: "Run the tests" }] } }),
    callsTools({ name: "bash", args: { command: wait } }),
    says("All tests pass."),
    says("Done."),
  );
  await using run = new TerminalRun([...CHAT, "--permissions", "full"], chat.place, { env: { PAGER: "cat" } });
  await isReady(run);
  run.type(`check it${KEYS.enter}`);
  await run.until(
    (screen) => screen.screen().some((line) => /^ {2}● tester task bash .*until/.test(line)),
    "the line of the subagent",
  );
  expect(run.screen.screen().some((line) => /^. task Run the tests/.test(line))).toBe(true);
  await Bun.write(`${chat.place.cwd}/go`, "");
  await run.sees("Done.");
  expect(run.screen.lines().some((line) => line.includes("All tests pass."))).toBe(true);
  run.type(`/agents${KEYS.escape}`);
  await run.until((screen) => screen.screen().includes("/agents"));
  run.type(KEYS.enter);
  await run.until((screen) => screen.screen().some((line) => line.startsWith("→ tester (task)")), "the list");
  run.type(KEYS.enter);
  await run.until((screen) => screen.screen().some((line) => line.includes("what it did")), "the choice");
  run.type(KEYS.enter);
  await run.sees("• bash until");
});
