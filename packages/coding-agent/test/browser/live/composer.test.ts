import { afterAll, expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { BROWSER, closePages } from "../../support/browser/browser.ts";
import { LiveServer } from "../../support/browser/live-server.ts";
import { answered, conversation, idle, send, sessionOf } from "../../support/browser/live-talk.ts";
import { callsTools, heldAnswer, says } from "../../support/scenarios/chat-server.ts";
import { testWith } from "../../support/system-tool.ts";

const browserTest = testWith(BROWSER);
afterAll(closePages);

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

browserTest("messages to a run at work wait in sight, and can be taken back", async () => {
  const answer = heldAnswer();
  await using machine = await LiveServer.answering(answer.respond, says("Last."));
  const { page, troubles } = await machine.tab();
  await send(page, "first");
  await answer.asked;
  answer.write("Working");
  await page.waitForSelector(".stop-button:visible");
  await page.fill("#composer", "look there instead");
  await page.press("#composer", "Enter");
  await page.waitForSelector(".queued:has-text('steer') >> text=look there instead");
  await page.fill("#composer", "and afterwards this");
  await page.press("#composer", "Alt+Enter");
  await page.waitForSelector(".queued:has-text('then') >> text=and afterwards this");
  await page.click("[aria-label='Take back: look there instead']");
  await page.waitForFunction(() => document.querySelectorAll(".queued").length === 1);
  answer.finish();
  await answered(page, "Last.");
  await idle(page);
  expect(await conversation(page)).toEqual([
    "User: first",
    "Assistant: Working",
    "User: and afterwards this",
    "Assistant: Last.",
  ]);
  expect(troubles).toEqual([]);
});

browserTest("Escape stops a run", async () => {
  const answer = heldAnswer();
  await using machine = await LiveServer.answering(answer.respond);
  const { page } = await machine.tab();
  await send(page, "count");
  await answer.asked;
  answer.write("one, two");
  await page.waitForSelector(".is-writing:has-text('two')");
  await page.press("#composer", "Escape");
  await answer.left;
  await page.waitForSelector(".ending.aborted");
  await idle(page);
  expect(await page.locator(".is-writing").count()).toBe(0);
});

browserTest("commands and files are completed by keyboard", async () => {
  await using machine = await LiveServer.answering(says("Read."));
  await Bun.write(`${machine.root}/src/engine.ts`, "export {};\n");
  await Bun.write(`${machine.root}/src/other.ts`, "export {};\n");
  const { page, troubles } = await machine.tab();
  await send(page, "hello");
  await answered(page, "Read.");
  await page.fill("#composer", "/");
  await page.waitForSelector("[role=option]");
  await page.press("#composer", "ArrowDown");
  await page.press("#composer", "Tab");
  expect(await page.inputValue("#composer")).toMatch(/^\/\S+ $/);
  await page.fill("#composer", "look at @engi");
  await page.waitForSelector("[role=option]:has-text('src/engine.ts')");
  expect(await page.getAttribute("#composer", "aria-activedescendant")).toBe("completion-0");
  await page.press("#composer", "Enter");
  expect(await page.inputValue("#composer")).toBe("look at @src/engine.ts ");
  expect(await page.$$("[role=option]")).toHaveLength(0);
  expect(troubles).toEqual([]);
});

browserTest("pictures and texts are attached by paste and drop, and reach the model", async () => {
  await using machine = await LiveServer.answering(says("Seen."));
  const { page, troubles } = await machine.tab();
  const give = (type: "paste" | "drop") =>
    page.evaluate(
      ([event, pixel]) => {
        const bytes = Uint8Array.from(atob(pixel as string), (character) => character.charCodeAt(0));
        const data = new DataTransfer();
        if (event === "paste") data.items.add(new File([bytes], "dot.png", { type: "image/png" }));
        else data.items.add(new File(["a ``` b"], "notes.txt", { type: "text/plain" }));
        const made =
          event === "paste"
            ? new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true })
            : new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true });
        document.querySelector("#composer")?.dispatchEvent(made);
      },
      [type, PIXEL],
    );
  await give("paste");
  await page.waitForSelector(".attachment:has-text('dot.png') img");
  await give("drop");
  await page.waitForSelector(".attachment:has-text('notes.txt')");
  await send(page, "what is this");
  await answered(page, "Seen.");
  await page.waitForSelector("article.user img[src^='data:image/png']");
  const { content } = lastOfUser(machine.model.requests[0]?.body.messages);
  expect(content.map(({ type }) => type).sort()).toEqual(["image_url", "text"]);
  expect(JSON.stringify(content)).toContain("notes.txt:\\n````\\na ``` b\\n````");
  expect(troubles).toEqual([]);
});

browserTest("the list of tasks is a checklist, and its state is always in sight", async () => {
  const ops = [{ op: "replace", phases: [{ name: "Work", tasks: [{ content: "Look" }, { content: "Change" }] }] }];
  await using machine = await LiveServer.answering(callsTools({ name: "todo_write", args: { ops } }), says("Planned."));
  const { page } = await machine.tab();
  await send(page, "plan it");
  await answered(page, "Planned.");
  await page.click("details.tool > summary");
  await page.waitForSelector("article .todo:has-text('Change')");
  await page.waitForSelector(".todo-panel:visible .todo-count:has-text('0/2')");
  expect(await page.textContent(".todo-current")).toBe("Look");
});

browserTest(
  "a command of the user runs in the session: its output while it comes, what stops it, and the model sees it",
  async () => {
    await using machine = await LiveServer.answering(says("I see."));
    const { page, troubles } = await machine.tab();
    await page.fill("#composer", "!echo begun; while [ ! -e go ]; do sleep 0.05; done; echo over");
    expect(await page.textContent(".send-button")).toBe("Run");
    await page.press("#composer", "Enter");
    await page.waitForSelector(".shell-run.is-running .output:has-text('begun')");
    const other = await machine.tab({ session: sessionOf(page) });
    writeFileSync(join(machine.root, "go"), "");
    for (const each of [page, other.page]) await each.waitForSelector("article.shell .output:has-text('over')");
    await page.waitForSelector(".shell-run", { state: "detached" });
    // Stopped from where the focus is, and from another tab.
    await send(page, "!echo one; sleep 600");
    await page.waitForSelector(".shell-run .output:has-text('one')");
    await page.press("#composer", "Escape");
    await page.waitForSelector("article.shell:has-text('one')");
    await page.waitForSelector(".shell-run", { state: "detached" });
    await send(page, "!!echo secret; sleep 600");
    await other.page.waitForSelector(".shell-run:has-text('another client') .output:has-text('secret')");
    await other.page.click(".shell-run button:has-text('Stop')");
    await page.waitForSelector("article.shell.is-out:has-text('secret')");
    await send(page, "what did I do");
    await answered(page, "I see.");
    const sent = JSON.stringify(machine.model.requests[0]?.body.messages);
    expect(sent).toContain("echo begun");
    expect(sent).not.toContain("secret");
    expect([...troubles, ...other.troubles]).toEqual([]);
  },
);

browserTest("a command of the user goes into a conversation whose model is writing", async () => {
  const answer = heldAnswer();
  await using machine = await LiveServer.answering(answer.respond);
  const { page } = await machine.tab();
  await send(page, "first");
  await answer.asked;
  answer.write("Working");
  await page.waitForSelector(".stop-button:visible");
  await send(page, "!echo beside it");
  await page.waitForSelector("article.shell .output:has-text('beside it')");
  await page.waitForSelector(".is-writing:has-text('Working')");
  answer.finish();
  await idle(page);
  expect((await conversation(page)).map((text) => text.split(":")[0])).toEqual([
    "User",
    "Command of the user",
    "Assistant",
  ]);
});

browserTest("what was typed and not sent is there after a reload", async () => {
  await using machine = await LiveServer.answering(says("Yes."));
  const { page } = await machine.tab();
  await send(page, "hello");
  await answered(page, "Yes.");
  await page.fill("#composer", "half a thought");
  await page.reload();
  await answered(page, "Yes.");
  expect(await page.inputValue("#composer")).toBe("half a thought");
});

// biome-ignore lint/suspicious/noExplicitAny: a vendor's format; the test picks what it asserts
function lastOfUser(messages: any[] = []): { content: { type: string }[] } {
  return messages.findLast(({ role }) => role === "user") ?? { content: [] };
}
