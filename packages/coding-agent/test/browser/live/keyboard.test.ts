import { afterAll, expect } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { BROWSER, closePages } from "../../support/browser/browser.ts";
import { LiveServer } from "../../support/browser/live-server.ts";
import { said } from "../../support/browser/live-talk.ts";
import { callsTools, says } from "../../support/scenarios/chat-server.ts";
import { testWith } from "../../support/system-tool.ts";

const test = testWith(BROWSER);
afterAll(closePages);

/** Presses Tab until the element with that name has the focus, which must be visible. */
async function tabTo(page: Page, name: RegExp, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
  const passed: string[] = [];
  for (let step = 0; step < 60; step += 1) {
    await page.keyboard.press(key);
    const focus = await page.evaluate(() => {
      const node = document.activeElement as HTMLElement;
      const style = getComputedStyle(node);
      const labels = node instanceof HTMLInputElement ? [...(node.labels ?? [])].map((label) => label.textContent) : [];
      const name = node.getAttribute("aria-label") ?? [...labels, node.textContent].join(" ").trim();
      // In a tree, the active line shows the focus.
      const active = node.querySelector(".active");
      const isSeen =
        style.outlineStyle !== "none" || (active !== null && getComputedStyle(active).boxShadow !== "none");
      return { name, isSeen };
    });
    passed.push(focus.name.slice(0, 40));
    if (!name.test(focus.name)) continue;
    expect([focus.name, focus.isSeen]).toEqual([focus.name, true]);
    return;
  }
  throw new Error(`Tab does not lead to ${name}: ${passed.join(" | ")}`);
}

test("everything can be done with the keyboard alone", async () => {
  await using server = await LiveServer.start({
    settings: { "permissions.mode": "ask" },
    answers: [callsTools({ name: "bash", args: { command: "touch made" } }), says("It is made."), says("Again.")],
  });
  const { page, troubles } = await server.tab();
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());

  // a session is opened
  await tabTo(page, /^New session$/);
  await page.keyboard.press("Enter");
  await page.waitForSelector(".new-session:not([hidden])");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".picker-row:not([hidden])");

  // a message is written, and the question that follows is answered
  await page.waitForFunction(() => document.activeElement?.id === "composer");
  await page.keyboard.type("make it");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".question fieldset:enabled"); // nothing can be pressed before it was visible
  await tabTo(page, /^Allow once$/, "Shift+Tab");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".question", { state: "detached" });
  await page.waitForFunction(() => document.activeElement?.id === "composer");
  await page.waitForSelector("text=It is made.");
  expect(existsSync(join(server.root, "made"))).toBe(true);

  // another model is chosen
  await tabTo(page, /^Local model$/);
  await page.keyboard.press("Enter");
  await page.waitForSelector(".choices li");
  await page.keyboard.type("thinking");
  await page.waitForFunction(() => document.querySelectorAll(".choices li").length === 1);
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector(".picker")?.textContent === "Thinking model");
  await page.waitForSelector("select[aria-label=Thinking]:not([hidden])");
  await tabTo(page, /^Thinking$/);
  await page.keyboard.press("ArrowDown");
  await page.waitForFunction(
    () => (document.querySelector("select[aria-label=Thinking]") as HTMLSelectElement).value !== "off",
  );

  // the tree leads to an entry
  await tabTo(page, /^Tree$/, "Shift+Tab");
  await page.keyboard.press("Enter");
  await tabTo(page, /^Entries of the session$/);
  await page.keyboard.press("Home");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement?.matches("article.entry.user"));

  // the conversation restarts from there
  await tabTo(page, /^Edit and send again/);
  await page.keyboard.press("Enter");
  await said(page, "The next message starts another branch");
  await page.waitForFunction(() => document.activeElement?.id === "composer");
  await page.keyboard.type(", but better");
  await page.keyboard.press("Enter");
  await page.waitForSelector("text=Again.");

  // the session is deleted and restored
  await tabTo(page, /^Sessions$/, "Shift+Tab");
  await page.keyboard.press("Enter");
  await tabTo(page, /^Actions for/);
  await page.keyboard.press("Enter");
  await tabTo(page, /^Delete$/);
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement?.textContent === "Undo");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement?.classList.contains("session-link"));
  expect(troubles).toEqual([]);
});
