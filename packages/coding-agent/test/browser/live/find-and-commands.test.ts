import { afterAll, expect } from "bun:test";
import { axe } from "../../support/browser/axe.ts";
import { BROWSER, closePages } from "../../support/browser/browser.ts";
import { LiveServer } from "../../support/browser/live-server.ts";
import { answered, send, sessionOf } from "../../support/browser/live-talk.ts";
import { callsTools, says } from "../../support/scenarios/chat-server.ts";
import { testWith } from "../../support/system-tool.ts";

const test = testWith(BROWSER);
afterAll(closePages);

test("searches the conversation including folded and cut content, steps through the matches, and highlights them", async () => {
  await using machine = await LiveServer.start({
    answers: [callsTools({ name: "read", args: { path: "long.txt" } }), says("A needle, and more of it.")],
    files: { "long.txt": `${"hay\n".repeat(200)}the needle of the file\n` },
  });
  const { page, troubles } = await machine.tab();
  await send(page, "look into the file");
  await answered(page, "and more of it");
  await page.locator("h1").click();
  await page.keyboard.press("/");
  await page.keyboard.type("needle");
  await page.waitForSelector(".find-count:text-is('2 found')");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".find-count:text-is('1 of 2')");
  await page.waitForSelector("details.tool[open] .code:has-text('the needle of the file')");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".find-count:text-is('2 of 2')");
  expect(await page.evaluate(() => [...(CSS.highlights.get("found") ?? [])].length)).toBe(2);
  expect(await axe(page)).toEqual([]);
  await page.fill(".find-field", "no such words");
  await page.waitForSelector(".find-count:text-is('No match')");
  await page.keyboard.press("Escape");
  expect(await page.evaluate(() => [document.activeElement?.id, CSS.highlights.get("found")?.size])).toEqual([
    "composer",
    0,
  ]);
  expect(troubles).toEqual([]);
});

test("searches entries that are not loaded yet", async () => {
  await using machine = await LiveServer.answering(says("The first answer is a pearl."), says("Second."));
  const session = await machine.session({}, "begin");
  const host = await machine.connect();
  await host.ask({ type: "attach_session", sessionId: session });
  // More entries than the page loads at once.
  for (let at = 0; at < 210; at += 1)
    await host.ask({ type: "set_session_name", sessionId: session, name: `name ${at}` });
  host.close();
  const { page } = await machine.tab({ session });
  await page.locator("h1").click();
  await page.keyboard.press("/");
  await page.keyboard.type("pearl");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".find-count:text-is('1 of 1')");
  await page.waitForSelector("article.assistant:has-text('a pearl')");
  expect(await page.locator(".find-count").textContent()).toBe("1 of 1");
});

test("the palette runs what it lists, opens sessions, and shows the keys", async () => {
  await using machine = await LiveServer.start({ files: { ".git/HEAD": "ref: refs/heads/topic\n" } });
  const other = await machine.session({ name: "The other one" });
  await machine.session({ name: "This one" });
  const { page, troubles } = await machine.tab({ session: "new" });
  const choose = async (words: string) => {
    await page.keyboard.press("ControlOrMeta+k");
    await page.locator("dialog[open] .search").fill(words);
    await page.keyboard.press("Enter");
  };
  await choose("colors");
  expect(await page.getAttribute("html", "data-theme")).toBe("light");
  await choose("open the other");
  await page.waitForFunction((id) => location.hash.includes(id), other);
  expect(sessionOf(page)).toBe(other);
  await page.waitForSelector(".bar-place:text-is('root · topic')");
  await page.waitForFunction(() => document.title === "The other one · root · topic · pintle");
  await choose("shortcuts");
  await page.waitForSelector("dialog.help[open]");
  expect(await page.locator("dialog.help dt").allTextContents()).toEqual([
    "Ctrl K",
    "Enter",
    "Alt Enter",
    "Shift Enter",
    "Esc",
    "Ctrl B",
    "Tab",
    "/",
    "?",
  ]);
  expect(await axe(page)).toEqual([]);
  await page.locator("dialog.help button").click();
  await page.keyboard.press("ControlOrMeta+k");
  expect(await axe(page)).toEqual([]);
  expect(troubles).toEqual([]);
});
