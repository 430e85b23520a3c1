import { afterAll, expect } from "bun:test";
import { BROWSER, closePages } from "../../support/browser/browser.ts";
import { harmIn, NO_HARM } from "../../support/browser/harm.ts";
import { LiveServer } from "../../support/browser/live-server.ts";
import { answered, idle, send } from "../../support/browser/live-talk.ts";
import { createHostileSession, HOSTILE } from "../../support/export/hostile-session.ts";
import { callsTools, heldAnswer, says } from "../../support/scenarios/chat-server.ts";
import { testWith } from "../../support/system-tool.ts";

const browserTest = testWith(BROWSER);
afterAll(closePages);

/** Longer ones are tried in the stored session. */
const SHORT = HOSTILE.filter((evil) => evil.length < 10_000).map((evil) => evil.toWellFormed());

browserTest("a stored session that wants to do harm is shown as what it is", async () => {
  const { sample, file } = createHostileSession();
  try {
    await using machine = await LiveServer.answering(says("ok"));
    const session = machine.store(file);
    for (const width of [1280, 360]) {
      const { page, troubles } = await machine.tab({ session, viewport: { width, height: 800 } });
      await page.waitForSelector("article.entry");
      await page.click(".earlier button:has-text('To the beginning')");
      await page.waitForSelector(".earlier", { state: "hidden" });
      const entries = await page.$eval("article.entry", (article) => Number(article.getAttribute("aria-setsize")));
      expect(entries).toBeGreaterThan(HOSTILE.length * 10);
      for (let at = 0; at <= 20; at += 1) {
        await page.$eval(".scroller", (scroller, part) => scroller.scrollTo(0, scroller.scrollHeight * part), at / 20);
        await page.waitForFunction(() => {
          const { left, top, width, height } =
            document.querySelector(".scroller")?.getBoundingClientRect() ?? new DOMRect();
          return document.elementFromPoint(left + width / 2, top + height / 2)?.closest("article, .conversation");
        });
        await page.evaluate(() => {
          for (const details of document.querySelectorAll("details")) details.open = true;
        });
        expect(await page.evaluate(harmIn)).toEqual(NO_HARM);
      }
      expect(troubles).toEqual([]);
      await page.context().close();
    }
  } finally {
    sample.remove();
  }
});

browserTest("a model that wants to do harm is heard and not obeyed, also in the middle of a word", async () => {
  const answer = heldAnswer();
  const evil = SHORT.join("\n\n");
  await using machine = await LiveServer.answering(
    answer.respond,
    callsTools(
      ...SHORT.slice(0, 6).map((text, at) => ({
        name: "bash",
        args: { command: `cat <<'END${at}'\n${text}\nEND${at}` },
        id: `c${at}`,
      })),
      { name: "nothing<img src=x onerror=window.pwned=1>", args: { [SHORT[0] ?? ""]: SHORT }, id: 'odd"]<b>' },
    ),
    says(evil),
  );
  const { page, troubles } = await machine.tab();
  await send(page, evil);
  await answer.asked;
  for (let at = 0; at < evil.length; at += 7) answer.write(evil.slice(at, at + 7));
  answer.write("\n\nThe first end.");
  await page.waitForSelector(".is-writing:has-text('The first end.')");
  expect(await page.evaluate(harmIn)).toEqual(NO_HARM);
  answer.finish();
  await answered(page, "The first end.");
  await idle(page);
  await send(page, "go on");
  await page.waitForFunction(() => document.querySelectorAll("details.tool").length > 6);
  await idle(page);
  await page.evaluate(() => {
    for (const details of document.querySelectorAll("details")) details.open = true;
  });
  expect(await page.evaluate(harmIn)).toEqual(NO_HARM);
  expect(troubles).toEqual([]);
});
