import { afterAll, expect } from "bun:test";
import { BROWSER, closePages } from "../../support/browser/browser.ts";
import { LiveServer } from "../../support/browser/live-server.ts";
import { answered, idle, sessionOf } from "../../support/browser/live-talk.ts";
import { callsTools, says } from "../../support/scenarios/chat-server.ts";
import { testWith } from "../../support/system-tool.ts";

const browserTest = testWith(BROWSER);
afterAll(closePages);

const PHONE = { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true };

browserTest("on a phone nothing is wider than the window, and everything is used by touch", async () => {
  await using machine = await LiveServer.answering(
    callsTools({
      name: "write",
      args: { path: "a/very/long/path/to/some/file/of/the/project.ts", content: "const a = 1;\n" },
    }),
    says(`A table:\n\n| a | b |\n| - | - |\n| ${"word ".repeat(40)} | x |\n\n\`\`\`\n${"long ".repeat(60)}\n\`\`\``),
  );
  const { page, troubles } = await machine.tab(PHONE);
  await page.tap("#composer");
  await page.fill("#composer", "write it");
  await page.press("#composer", "Enter");
  // On a phone, Enter starts a new line.
  expect(await page.inputValue("#composer")).toBe("write it\n");
  await page.tap(".send-button");
  await answered(page, "A table:");
  await idle(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  const outside = await page.$$eval(".foot-line :is(button, select)", (controls) =>
    controls.filter((control) => control.checkVisibility() && control.getBoundingClientRect().right > 360).map(String),
  );
  expect(outside).toEqual([]);
  await page.tap("details.tool > summary .tool-name");
  await page.tap(".side-button");
  await page.waitForSelector("#sessions:visible");
  await page.tap(".backdrop", { position: { x: 350, y: 300 } });
  await page.waitForSelector("#sessions", { state: "hidden" });
  expect(sessionOf(page)).not.toBe("");
  expect(troubles).toEqual([]);
});
