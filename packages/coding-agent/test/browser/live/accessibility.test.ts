import { afterAll, describe, expect } from "bun:test";
import type { Page } from "playwright-core";
import { axe } from "../../support/browser/axe.ts";
import { BROWSER, closePages } from "../../support/browser/browser.ts";
import { LiveServer, type TabOptions } from "../../support/browser/live-server.ts";
import { callsTools, says } from "../../support/scenarios/chat-server.ts";
import { testWith } from "../../support/system-tool.ts";

const test = testWith(BROWSER);
afterAll(closePages);

const ANSWER =
  "# A heading\n\nSome **text** with `code`, a [link](https://example.com) and\n\n- a list\n\n```ts\nconst a = 1;\n```\n";
const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true } as const;

/** A session with an answer, a command that ran, and one that waits for approval. */
async function tour(options: TabOptions): Promise<{ server: LiveServer; page: Page }> {
  const server = await LiveServer.start({
    settings: { "permissions.mode": "ask" },
    files: { "a.txt": "one\n" },
    answers: [
      callsTools({ name: "read", args: { path: "a.txt" } }),
      says(ANSWER),
      callsTools(
        { name: "bash", args: { command: "touch made" }, id: "c1" },
        { name: "write", args: { path: "a.txt", content: "two\n" }, id: "c2" },
      ),
      says("done"),
    ],
  });
  const session = await server.session({ name: "A session" }, "what is in a.txt?");
  await server.session({ name: "Another one" }).catch(() => {});
  const { page } = await server.tab({ ...options, session, reducedMotion: "reduce" });
  await page.waitForSelector("article.entry.assistant");
  return { server, page };
}

const isPhone = (page: Page) => page.viewportSize()?.width === 360;
async function inSidebar(page: Page, act: () => Promise<unknown>): Promise<void> {
  if (isPhone(page)) await page.click(".side-button");
  await act();
}

describe("a user with a screen reader or low vision", () => {
  for (const [name, options] of [
    ["light", { colorScheme: "light" }],
    ["dark", { colorScheme: "dark" }],
    ["a phone, light", { ...PHONE, colorScheme: "light" }],
    ["a phone, dark", { ...PHONE, colorScheme: "dark" }],
  ] as const) {
    test(`finds nothing in the way: ${name}`, async () => {
      const { server, page } = await tour(options);
      await using _ = server;
      expect(await axe(page)).toEqual([]);
      await page.fill("#composer", "change it");
      await page.click(".send-button");
      await page.waitForSelector(".question");
      expect(await axe(page)).toEqual([]);
      await page.click('button:text-is("Allow once")');
      await page.waitForSelector(".question .diff");
      expect(await axe(page)).toEqual([]);
      await page.click('button:text-is("Deny and stop")');
      await page.waitForSelector(".question", { state: "detached" });
      await page.click(".picker[aria-haspopup=dialog] >> nth=0");
      await page.waitForSelector(".choices li");
      expect(await axe(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await page.click("[aria-label='Settings of the session']");
      await page.waitForSelector(".settings-body select");
      expect(await axe(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await inSidebar(page, () => page.click(".session-line .quiet-button >> nth=0"));
      expect(await axe(page)).toEqual([]);
      await page.click(".side-tabs button >> nth=1");
      await page.waitForSelector(".tree-line");
      expect(await axe(page)).toEqual([]);
    });
  }

  test("has touch-sized targets on a phone", async () => {
    const { server, page } = await tour(PHONE);
    await using _ = server;
    const small = () =>
      page.evaluate(() =>
        [
          ...document.querySelectorAll<HTMLElement>(
            "button, select, input:not([type=checkbox]), textarea, summary, .session-link",
          ),
        ]
          .filter((node) => node.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
          .filter((node) => !node.closest(".prose, .unseen") && !node.classList.contains("unseen"))
          .map((node) => ({ node, box: node.getBoundingClientRect() }))
          .filter(({ box }) => box.width > 0 && (box.height < 40 || box.width < 36))
          .map(
            ({ node, box }) => `${node.className || node.tagName} ${Math.round(box.width)}x${Math.round(box.height)}`,
          ),
      );
    expect(await small()).toEqual([]);
    await page.fill("#composer", "change it");
    await page.click(".send-button");
    await page.waitForSelector(".question");
    expect(await small()).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    await page.click(".side-button");
    await page.click(".session-line .quiet-button >> nth=0");
    expect(await small()).toEqual([]);
  });

  test("is notified of the end of an answer and of a question, once each, but of no deltas", async () => {
    const { server, page } = await tour({});
    await using _ = server;
    await page.evaluate(() => {
      const heard: string[] = [];
      Object.assign(window, { heard });
      new MutationObserver((changes) => {
        for (const { target } of changes) {
          const node = target instanceof Element ? target : target.parentElement;
          const region = node?.closest("[role=status], [role=alert], [role=log], [aria-live]:not([aria-live=off])");
          const text = region?.textContent?.trim();
          if (text && heard.at(-1) !== text) heard.push(text);
        }
      }).observe(document.body, { childList: true, characterData: true, subtree: true });
    });
    await page.fill("#composer", "change it");
    await page.press("#composer", "Enter");
    await page.waitForSelector(".question");
    const heard = (await page.evaluate(() => Reflect.get(window, "heard"))) as string[];
    expect(heard.filter((text) => text.startsWith("Approval: bash touch made."))).toHaveLength(1);
    await page.click('button:text-is("Allow once")');
    await page.waitForSelector(".question .diff");
    await page.click('button:text-is("Allow once")');
    await page.waitForFunction(() => Reflect.get(window, "heard").includes("The answer is complete"));
    expect(heard.length).toBeLessThan(8);
  });
});
