import { afterAll, expect } from "bun:test";
import type { Page } from "playwright-core";
import { BROWSER, closePages } from "../../support/browser/browser.ts";
import { LiveServer } from "../../support/browser/live-server.ts";
import { said } from "../../support/browser/live-talk.ts";
import { says } from "../../support/scenarios/chat-server.ts";
import { testWith } from "../../support/system-tool.ts";

const test = testWith(BROWSER);
afterAll(closePages);

/** The messages of the conversation, in order. */
const shows = (page: Page, texts: readonly string[]) =>
  page.waitForFunction(
    (wanted) =>
      [...document.querySelectorAll("article.entry:not(.is-writing) .prose")]
        .map((node) => node.textContent?.trim())
        .join("|") === wanted,
    texts.join("|"),
  );
async function send(page: Page, text: string): Promise<void> {
  await page.fill("#composer", text);
  await page.press("#composer", "Enter");
}

test("edits a message on a new branch, and the tree leads back to the other one", async () => {
  await using server = await LiveServer.start({
    answers: [says("first answer"), says("second answer"), says("another answer")],
  });
  const { page, troubles } = await server.tab({ session: "new" });
  await send(page, "one");
  await shows(page, ["one", "first answer"]);
  await send(page, "two");
  await shows(page, ["one", "first answer", "two", "second answer"]);
  await page.locator("article.entry.user", { hasText: "two" }).locator(".entry-action").click();
  await shows(page, ["one", "first answer"]);
  await said(page, "The next message starts another branch");
  expect(await page.inputValue("#composer")).toBe("two");
  expect(await page.evaluate(() => document.activeElement?.id)).toBe("composer");
  await send(page, "three");
  await shows(page, ["one", "first answer", "three", "another answer"]);

  await page.click(".side-tabs >> text=Tree");
  await page.waitForFunction(() => document.querySelector(".branch-pane .status")?.textContent?.includes("2 branches"));
  const lines = await page.locator(".tree-line").allTextContents();
  expect(lines.map((line) => line.replace(/^\W+/, ""))).toEqual(
    expect.arrayContaining(["one", "first answer", "two", "second answer", "three", "another answer"]),
  );
  await page.locator(".tree-line", { hasText: "second answer" }).click();
  await shows(page, ["one", "first answer", "two", "second answer"]);
  expect(await page.locator(".tree-line.on-path", { hasText: "second answer" }).count()).toBe(1);
  expect(troubles).toEqual([]);
});

test("two tabs show the same branch", async () => {
  await using server = await LiveServer.start({ answers: [says("first answer"), says("second answer")] });
  const { page } = await server.tab({ session: "new" });
  await send(page, "one");
  await shows(page, ["one", "first answer"]);
  const session = new URLSearchParams((await page.evaluate(() => location.hash)).slice(1)).get("session") as string;
  const other = await server.tab({ session });
  await shows(other.page, ["one", "first answer"]);
  await send(page, "two");
  await shows(other.page, ["one", "first answer", "two", "second answer"]);
  await page.locator("article.entry.assistant", { hasText: "first answer" }).locator(".entry-action").click();
  await Promise.all([page, other.page].map((tab) => shows(tab, ["one", "first answer"])));
  expect(other.troubles).toEqual([]);
});
