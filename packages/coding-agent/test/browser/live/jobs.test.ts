import { afterAll, expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { BROWSER, closePages } from "../../support/browser/browser.ts";
import { LiveServer } from "../../support/browser/live-server.ts";
import { answered, conversation, idle, send, sessionOf } from "../../support/browser/live-talk.ts";
import { callsTools, says } from "../../support/scenarios/chat-server.ts";
import { testWith } from "../../support/system-tool.ts";

const browserTest = testWith(BROWSER);
afterAll(closePages);

const UNTIL_GO = "echo begun; until [ -e go ]; do sleep 0.05; done; echo gone";

browserTest("a background job is shown with its output, and its end in the conversation", async () => {
  const call = callsTools({ name: "bash", args: { command: UNTIL_GO, async: true } });
  await using machine = await LiveServer.answering(call, says("It runs."), says("It has ended."));
  const { page, troubles } = await machine.tab();
  await send(page, "build it");
  await answered(page, "It runs.");
  await page.waitForSelector(".jobs-line:visible >> text=1 background job");
  expect(await page.textContent(".jobs-label")).toBe(UNTIL_GO);
  await send(page, "/jobs");
  await page.waitForSelector(".jobs-dialog[open] .job.is-running");
  await page.click(".job summary");
  await page.waitForSelector(".jobs-output:has-text('begun')");
  writeFileSync(join(machine.root, "go"), "");
  await page.waitForSelector(".job:not(.is-running) .jobs-state:has-text('exit code 0 after')");
  await page.waitForSelector(".jobs-output:has-text('gone')");
  await page.click(".jobs-dialog [aria-label=Close]");
  await answered(page, "It has ended.");
  await idle(page);
  expect(await page.isVisible(".jobs-line")).toBe(false);
  const entries = await conversation(page);
  expect(entries.at(-2)).toMatch(/^Background work: Ended: echo begun; .*\(exit code 0\)/);
  expect(entries.at(-2)).toContain("<output>\nbegun\ngone\n</output>");
  expect(await page.locator(".jobs-dialog").count()).toBe(0);
  expect(troubles).toEqual([]);
});

browserTest("Ctrl+B moves a running command to the background, and the dialog stops it", async () => {
  const call = callsTools({ name: "bash", args: { command: "until [ -e never ]; do sleep 0.05; done" } });
  await using machine = await LiveServer.answering(call, says("It continues."));
  const { page, troubles } = await machine.tab();
  await send(page, "wait");
  await page.waitForSelector("button:visible >> text=To background");
  await page.press("#composer", "Control+b");
  await answered(page, "It continues.");
  await page.waitForSelector(".jobs-line:visible");
  expect(await page.isVisible("button:has-text('To background')")).toBe(false);
  await page.click(".jobs-line");
  await page.click(".job.is-running button:has-text('Stop')");
  await page.waitForSelector(".job .jobs-state:has-text('stopped after')");
  expect(await page.isVisible(".jobs-line")).toBe(false);
  expect(troubles).toEqual([]);
});

browserTest("a tab that opens later shows the jobs that run", async () => {
  const call = callsTools({ name: "bash", args: { command: UNTIL_GO, async: true } });
  await using machine = await LiveServer.answering(call, says("It runs."), says("It has ended."));
  const { page } = await machine.tab();
  await send(page, "build it");
  await page.waitForSelector(".jobs-line:visible");
  const second = await machine.tab({ session: sessionOf(page) });
  await second.page.waitForSelector(".jobs-line:visible >> text=1 background job");
  writeFileSync(join(machine.root, "go"), "");
  await second.page.waitForSelector(".jobs-line", { state: "hidden" });
  expect(await second.page.locator(".jobs-line:visible").count()).toBe(0);
});

browserTest("a call of task shows a line per subagent, and their results", async () => {
  await using machine = await LiveServer.answering(
    callsTools({ name: "task", args: { tasks: [{ name: "tester", task: "Run the tests" }] } }),
    callsTools({ name: "bash", args: { command: UNTIL_GO } }),
    says("All tests pass."),
    says("Done."),
  );
  const { page, troubles } = await machine.tab();
  await send(page, "check it");
  await page.waitForSelector(".child:has-text('tester task bash echo begun')");
  writeFileSync(join(machine.root, "go"), "");
  await answered(page, "Done.");
  await page.waitForSelector("details.tool .tool-remark:has-text('1 subagent')");
  await page.click("details.tool > summary");
  await page.waitForSelector("details.tool .child:has-text('completed')");
  await page.waitForSelector("details.tool:has-text('All tests pass.')");
  expect(troubles).toEqual([]);
});
