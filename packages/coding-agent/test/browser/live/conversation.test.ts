import { afterAll, expect } from "bun:test";
import { BROWSER, closePages } from "../../support/browser/browser.ts";
import { LiveServer } from "../../support/browser/live-server.ts";
import { answered, conversation, idle, send, sessionOf } from "../../support/browser/live-talk.ts";
import { callsTools, heldAnswer, says } from "../../support/scenarios/chat-server.ts";
import { testWith } from "../../support/system-tool.ts";

const browserTest = testWith(BROWSER);
afterAll(closePages);

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

browserTest("an answer is seen while it is written; finished blocks are not touched again", async () => {
  const answer = heldAnswer();
  await using machine = await LiveServer.answering(answer.respond);
  const { page, troubles } = await machine.tab();
  await send(page, "go on");
  await answer.asked;
  answer.write("# Title\n\nFirst paragraph.\n\n- one\n- two\n\nSecond");
  await page.waitForSelector(".is-writing .prose p:has-text('Second')");
  const first = await page.$(".is-writing .prose p:has-text('First paragraph.')");
  answer.write(" goes on\n\n```js\nconst a = 1;\n");
  await page.waitForSelector(".is-writing .code:has-text('const a = 1;')");
  answer.write("const b = 2;\n```\n\nThe end.");
  answer.finish();
  await answered(page, "The end.");
  await idle(page);
  // The same element is in the entry: it was neither recreated nor scrolled out of sight.
  expect(await first?.evaluate((node) => node.isConnected && node.closest("article.is-writing") === null)).toBe(true);
  expect(await conversation(page)).toEqual([
    "User: go on",
    "Assistant: TitleFirst paragraph.onetwoSecond goes onconst a = 1;\nconst b = 2;The end.",
  ]);
  expect(troubles).toEqual([]);
});

browserTest("a tool's output and time are seen while it runs, its result afterwards", async () => {
  await using machine = await LiveServer.answering(
    callsTools({ name: "bash", args: { command: "echo begun; until [ -e go ]; do sleep 0.05; done; echo ended" } }),
    says("Done."),
  );
  const { page, troubles } = await machine.tab();
  await send(page, "run it");
  await page.waitForSelector("details.tool.is-running .output:has-text('begun')");
  expect(await page.textContent("details.tool.is-running .tool-state")).toBe("running");
  await Bun.write(`${machine.root}/go`, "");
  await answered(page, "Done.");
  await page.waitForSelector("details.tool.is-done .output:has-text('ended')", { state: "attached" });
  // A finished call is one line, with its result.
  expect(await page.$eval("details.tool", (card) => (card as HTMLDetailsElement).open)).toBe(false);
  expect(await page.textContent("details.tool .tool-remark")).toBe("2 lines");
  // The answer has one header and one line of figures, although it took two turns.
  expect(await page.$$eval("article.assistant", (all) => all.map((one) => one.className))).toEqual([
    "entry assistant",
    "entry assistant is-continuing",
  ]);
  expect(await page.$$eval(".answer-foot", (all) => all.map((one) => (one as HTMLElement).dataset.total))).toEqual([
    expect.stringContaining("2 turns"),
  ]);
  await page.evaluate(() => {
    Object.defineProperty(navigator, "clipboard", {
      value: { writeText: async (text: string) => Object.assign(window, { copied: text }) },
    });
  });
  await page.click(".answer-foot .copy-button");
  await page.waitForSelector(".answer-foot .copy-button[aria-label='Copied']");
  expect(await page.evaluate(() => Reflect.get(window, "copied"))).toBe("Done.");
  expect(await page.$$("details.tool")).toHaveLength(1);
  expect(await page.textContent("details.tool .tool-time")).toMatch(/s$/);
  expect(troubles).toEqual([]);
});

browserTest("the output of a run is shown as formatted JSON, with rejected attempts and denied calls", async () => {
  await using machine = await LiveServer.answering(
    says("First."),
    callsTools({ name: "bash", args: { command: "touch x" } }),
    callsTools({ name: "structured_output", args: { line: "x" } }),
    callsTools({ name: "structured_output", args: { line: 12 } }),
  );
  const { page, troubles } = await machine.tab();
  await send(page, "begin");
  await answered(page, "First.");
  const sessionId = sessionOf(page);
  const host = await machine.connect();
  await host.ask({ type: "attach_session", sessionId });
  await host.ask({ type: "set_permission_mode", sessionId, mode: "plan" });
  const outputSchema = { type: "object", properties: { line: { type: "integer" } }, required: ["line"] };
  await host.ask({ type: "prompt", sessionId, message: "Report it.", outputSchema });
  await page.waitForSelector(".side-note:has-text('Output rejected (attempt 1, 2 left)'):has-text('/line: must be')");
  const output = await page.waitForSelector(".side-note:has-text('Denied: bash')");
  expect(await output.textContent()).toContain('{\n  "line": 12\n}');
  expect(troubles).toEqual([]);
  host.close();
});

browserTest("two tabs show the same, also when the second one comes in the middle of an answer", async () => {
  const answer = heldAnswer();
  await using machine = await LiveServer.answering(answer.respond, says("Second answer."));
  const one = await machine.tab();
  await send(one.page, "hello");
  await answer.asked;
  answer.write("The beginning, ");
  await one.page.waitForSelector(".is-writing:has-text('The beginning')");
  const two = await machine.tab({ session: sessionOf(one.page) });
  await two.page.waitForSelector(".is-writing:has-text('The beginning')");
  answer.write("and the end.");
  answer.finish();
  for (const { page } of [one, two]) await answered(page, "The beginning, and the end.");
  await send(two.page, "and again");
  for (const { page } of [one, two]) {
    await answered(page, "Second answer.");
    await idle(page);
  }
  expect(await conversation(one.page)).toEqual(await conversation(two.page));
  expect([...one.troubles, ...two.troubles]).toEqual([]);
});

browserTest("thinking is seen by its newest line, in place, and read by opening it while it is written", async () => {
  const answer = heldAnswer();
  await using machine = await LiveServer.answering(answer.respond);
  const { page, troubles } = await machine.tab();
  await send(page, "think");
  await answer.asked;
  answer.think("First I look at the parser.");
  await page.waitForSelector(".is-writing .thinking .teaser:has-text('First I look at the parser.')");
  const height = () => page.$eval(".is-writing .thinking", (node) => node.getBoundingClientRect().height);
  const before = await height();
  answer.think("\n\nThen at the **writer**.");
  await page.waitForSelector(".is-writing .thinking .teaser:has-text('Then at the writer.')");
  expect(await height()).toBe(before);
  await page.click(".is-writing .thinking summary");
  await page.waitForSelector(".is-writing .thinking[open] strong:text-is('writer')");
  answer.think("\n\nAnd now I know.");
  await page.waitForSelector(".is-writing .thinking[open] p:has-text('And now I know.')");
  answer.write("It was the writer.");
  await page.waitForSelector(".is-writing .prose:has-text('It was the writer.')");
  answer.finish();
  await answered(page, "It was the writer.");
  // What was opened stays open when the answer is stored.
  expect(await page.locator("article.assistant .thinking[open] p").allTextContents()).toEqual([
    "First I look at the parser.",
    "Then at the writer.",
    "And now I know.",
  ]);
  expect(troubles).toEqual([]);
});

browserTest("a summary is seen while it is made, and stands in the conversation then, in every tab", async () => {
  const summary = heldAnswer();
  await using machine = await LiveServer.answering(
    says("One."),
    says("Two."),
    summary.respond,
    says("And that was all."),
  );
  const { page, troubles } = await machine.tab();
  for (const [message, text] of [
    ["first", "One."],
    ["second", "Two."],
  ] as const) {
    await send(page, message);
    await answered(page, text);
    await idle(page);
  }
  const other = await machine.tab({ session: sessionOf(page) });
  await answered(other.page, "Two.");
  await send(page, "/compact what was said");
  await summary.asked;
  await page.waitForSelector(".activity-line:has-text('Summarizing older messages: as requested')");
  summary.write("Both said a number.");
  summary.finish();
  for (const each of [page, other.page])
    await each.waitForSelector("article.compaction:has-text('Both said a number.')");
  await idle(page);
  expect(await page.locator(".activity-line").count()).toBe(0);
  expect(JSON.stringify(machine.model.requests.slice(2).map(({ body }) => body))).toContain("what was said");
  expect([...troubles, ...other.troubles]).toEqual([]);
});

browserTest("a model call that fails is seen, with the next attempt", async () => {
  await using machine = await LiveServer.answering(
    (response) => void response.writeHead(503).end("overloaded"),
    says("Back again."),
  );
  const { page } = await machine.tab();
  await send(page, "hello");
  await page.waitForSelector(".activity-line:has-text('Attempt 1 of')");
  await page.click(".activity-line >> text=Give up");
  await page.waitForSelector(".is-error");
  await idle(page);
  expect(await page.locator(".activity-line").count()).toBe(0);
});

browserTest("a picture is there again when the server has read the session anew", async () => {
  await using machine = await LiveServer.answering(says("Seen."));
  const { page, troubles } = await machine.tab();
  await page.evaluate((pixel) => {
    const bytes = Uint8Array.from(atob(pixel), (character) => character.charCodeAt(0));
    const data = new DataTransfer();
    data.items.add(new File([bytes], "dot.png", { type: "image/png" }));
    document
      .querySelector("#composer")
      ?.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  }, PIXEL);
  await page.waitForSelector(".attachment");
  await send(page, "what is this");
  await answered(page, "Seen.");
  expect(troubles).toEqual([]);
  await machine.killServer();
  await machine.startServer();
  const again = await machine.tab({ session: sessionOf(page) });
  await again.page.waitForSelector(`article.user img[src="data:image/png;base64,${PIXEL}"]`);
  expect(again.troubles.filter((trouble) => !trouble.includes("/blob/"))).toEqual([]);
});

browserTest("a change is shown side by side or one under the other, with signs", async () => {
  await using machine = await LiveServer.answering(
    callsTools({ name: "edit", args: { path: "a.ts", edits: [{ oldText: "const a = 1;", newText: "const a = 2;" }] } }),
    says("Changed."),
  );
  await Bun.write(`${machine.root}/a.ts`, "const a = 1;\nconst b = 1;\n");
  const { page, troubles } = await machine.tab();
  await send(page, "change it");
  await answered(page, "Changed.");
  const halves = () =>
    page.$eval(".diff-row.change", (row) => {
      const [before, after] = [".old.line", ".new.line"].map((half) => row.querySelector(half) as Element);
      const sign = (half: Element | undefined) =>
        half && getComputedStyle(half, "::before").content.replaceAll('"', "");
      const tops = [before, after].map((half) => half?.getBoundingClientRect().top ?? 0);
      return { signs: [sign(before), sign(after)], isBeside: tops[0] === tops[1] };
    });
  expect(await halves()).toEqual({ signs: ["−", "+"], isBeside: true });
  await page.click("[aria-label='Changes: side by side']");
  expect(await halves()).toEqual({ signs: ["−", "+"], isBeside: false });
  expect(troubles).toEqual([]);
});
