import { afterAll, expect } from "bun:test";
import { BROWSER, closePages } from "../../support/browser/browser.ts";
import { LiveServer } from "../../support/browser/live-server.ts";
import { answered, idle, send, sessionOf } from "../../support/browser/live-talk.ts";
import { createLongSession } from "../../support/export/long-session.ts";
import { heldAnswer, says } from "../../support/scenarios/chat-server.ts";
import { testWith } from "../../support/system-tool.ts";

const browserTest = testWith(BROWSER);
afterAll(closePages);

/** Far below what 10,000 entries would need, far above what a window shows. */
const MOST_ELEMENTS = 6_000;

browserTest(
  "of ten thousand entries only what can be seen is built, and the reader is left where they are",
  async () => {
    const sample = createLongSession(10_000);
    try {
      const answer = heldAnswer();
      await using machine = await LiveServer.answering(answer.respond, says("Again."));
      const { page, troubles } = await machine.tab({ session: machine.store(sample.manager.sessionFile as string) });
      const elements = () => page.evaluate(() => document.querySelectorAll("*").length);
      const isAtEnd = () =>
        page.$eval(
          ".scroller",
          ({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight < 50,
        );
      const nearEnd = () =>
        page.waitForFunction(() => {
          const { scrollHeight, scrollTop, clientHeight } = document.querySelector(".scroller") as HTMLElement;
          return scrollHeight - scrollTop - clientHeight < 50;
        });
      await page.waitForSelector("article.entry");
      await nearEnd();
      const all = sample.manager.path().length;
      expect(all).toBeGreaterThan(9_000);
      expect(await elements()).toBeLessThan(MOST_ELEMENTS);
      await send(page, "one more");
      await answer.asked;
      answer.write("The first line.\n\n");
      await page.waitForSelector(".is-writing:has-text('The first line.')");
      expect(await isAtEnd()).toBe(true);
      // A reader who has scrolled elsewhere stays there, however much is added at the end.
      await page.$eval(".scroller", (scroller) => scroller.scrollTo(0, scroller.scrollHeight / 2));
      await page.waitForSelector(".to-end:visible");
      await page.waitForFunction(() => {
        const { left, top, width, height } =
          document.querySelector(".scroller")?.getBoundingClientRect() ?? new DOMRect();
        return document.elementFromPoint(left + width / 2, top + height / 2)?.closest("article.entry") !== null;
      });
      const looked = await page.evaluateHandle(() => {
        const { left, top, width, height } =
          document.querySelector(".scroller")?.getBoundingClientRect() ?? new DOMRect();
        return document.elementFromPoint(left + width / 2, top + height / 2)?.closest("article.entry") as Element;
      });
      const before = await looked.evaluate((node) => Math.round(node.getBoundingClientRect().top));
      for (let line = 0; line < 50; line += 1) answer.write(`Line ${line}.\n\n`);
      answer.write("The last line.");
      answer.finish();
      await idle(page);
      expect(await looked.evaluate((node) => Math.round(node.getBoundingClientRect().top))).toBe(before);
      expect(await elements()).toBeLessThan(MOST_ELEMENTS);
      await page.click(".to-end");
      await answered(page, "The last line.");
      await nearEnd();
      // Sending a message scrolls to it.
      await page.$eval(".scroller", (scroller) => scroller.scrollTo(0, scroller.scrollHeight / 2));
      await page.waitForSelector(".to-end:visible");
      await send(page, "and again");
      await answered(page, "Again.");
      await nearEnd();
      expect(troubles).toEqual([]);
    } finally {
      sample.remove();
    }
  },
);

browserTest(
  "of a long session the end comes first; what is before it comes with the reader, who is not moved",
  async () => {
    const sample = createLongSession(1_500);
    try {
      await using machine = await LiveServer.answering();
      const session = machine.store(sample.manager.sessionFile as string);
      const { page, troubles } = await machine.tab({ session });
      await page.waitForSelector("article.entry");
      const rest = () =>
        page.$eval(".earlier-rest", ({ textContent }) => Number.parseInt(String(textContent).replace(",", ""), 10));
      const total = sample.manager.entries().length;
      expect(await rest()).toBe(total - 200);

      expect(await page.evaluate(moveWhileRead)).toBeLessThan(3);
      expect(await rest()).toBeLessThan(total - 200);

      await page.click(".earlier button:has-text('To the beginning')");
      await page.waitForSelector(".earlier", { state: "hidden" });
      const first = sample.manager.path().find(({ type }) => type === "message");
      await page.waitForFunction(() => document.activeElement?.matches("article[aria-posinset='1']"));
      expect(await page.$eval("article[aria-posinset='1'] .permalink", (link) => link.getAttribute("href"))).toContain(
        `entry=${first?.id}`,
      );
      expect(await page.$$eval("article.assistant .turn", (turns) => turns[0]?.textContent)).toBe("turn 1");
      expect(troubles).toEqual([]);
    } finally {
      sample.remove();
    }
  },
);

browserTest("the tree has all entries, and a link leads to one that is far back", async () => {
  const sample = createLongSession(1_500);
  try {
    await using machine = await LiveServer.answering();
    const session = machine.store(sample.manager.sessionFile as string);
    const early = sample.manager.path().filter(({ type }) => type === "message")[6];
    const { page, troubles } = await machine.tab({ session: `${session}` });
    await page.waitForSelector("article.entry");
    await page.click(".side-tabs button:has-text('Tree')");
    const total = sample.manager.entries().length.toLocaleString("en-US");
    await page.waitForSelector(`.branch-pane .status:has-text("of ${total}")`);
    const other = await machine.tab({ session: sessionOf(page), entry: early?.id ?? "" });
    await other.page.waitForFunction(
      (id) => document.activeElement?.querySelector(`.permalink[href*="entry=${id}"]`) !== null,
      early?.id ?? "",
    );
    expect([...troubles, ...other.troubles]).toEqual([]);
  } finally {
    sample.remove();
  }
});

/**
 * Runs in the page: scrolls near the beginning of the loaded entries, and returns how far the visible entry moves when more
 * entries load.
 */
async function moveWhileRead(): Promise<number> {
  const scroller = document.querySelector(".scroller") as HTMLElement;
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const rest = () => document.querySelector(".earlier-rest")?.textContent;
  const { left, top, width, height } = scroller.getBoundingClientRect();
  for (;;) {
    scroller.scrollTo(0, 900);
    const before = rest();
    let looked: Element | null | undefined;
    let at = 0;
    let moved = 0;
    do {
      await frame();
      if (looked) moved = Math.max(moved, Math.abs(looked.getBoundingClientRect().top - at));
      looked ??= document.elementFromPoint(left + width / 2, top + height / 2)?.closest("article.entry");
      at = looked?.getBoundingClientRect().top ?? 0;
    } while (rest() === before);
    if (looked) return moved;
  }
}
