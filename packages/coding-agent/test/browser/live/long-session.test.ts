import { afterAll, expect } from "bun:test";
import { BROWSER, closeBrowser } from "../../support/browser/browser.ts";
import { answered, idle, LiveMachine, send } from "../../support/browser/live-machine.ts";
import { createLongSession } from "../../support/export/long-session.ts";
import { heldAnswer } from "../../support/scenarios/chat-server.ts";
import { testWith } from "../../support/system-tool.ts";

const browserTest = testWith(BROWSER);
afterAll(closeBrowser);

/** Far below what 10,000 entries would need, far above what a window shows. */
const MOST_ELEMENTS = 6_000;

browserTest(
  "of ten thousand entries only what can be seen is built, and the reader is left where they are",
  async () => {
    const sample = createLongSession(10_000);
    try {
      const answer = heldAnswer();
      await using machine = await LiveMachine.start(answer.respond);
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
      // A reader who has gone elsewhere stays there, however much is written at the end.
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
      expect(troubles).toEqual([]);
    } finally {
      sample.remove();
    }
  },
);
