import { afterAll, expect } from "bun:test";
import { BROWSER, closePages } from "../../support/browser/browser.ts";
import { LiveServer } from "../../support/browser/live-server.ts";
import { answered, send } from "../../support/browser/live-talk.ts";
import { says } from "../../support/scenarios/chat-server.ts";
import { testWith } from "../../support/system-tool.ts";

const browserTest = testWith(BROWSER);
afterAll(closePages);

browserTest("code in a language that the page does not contain is coloured when its grammar has arrived", async () => {
  await using machine = await LiveServer.answering(
    says("```ts\nconst a = 1;\n```\n\n```go\nfunc main() {}\n```\n\n```html\n<style>a { color: red }</style>\n```"),
  );
  const { page, troubles } = await machine.tab();
  await send(page, "show me");
  await answered(page, "const a = 1;");
  await page.waitForSelector(".code[data-language=go] .t-keyword:text-is('func')");
  await page.waitForSelector(".code[data-language=html] .t-structure:text-is('color')");
  const loaded = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name));
  expect(loaded.map((address) => new URL(address).pathname).sort()).toEqual([
    "/grammar/css.json",
    "/grammar/go.json",
    "/grammar/xml.json",
    "/view/highlighter.js",
  ]);
  expect(troubles).toEqual([]);
});

browserTest("without the grammar the code stays plain, and everything else works", async () => {
  await using machine = await LiveServer.answering(says("```go\nfunc main() {}\n```\n\nThat is all."));
  const { page } = await machine.tab();
  await page.route("**/grammar/**", (route) => route.abort());
  await send(page, "show me");
  await answered(page, "That is all.");
  expect(await page.textContent(".code[data-language=go] code")).toBe("func main() {}");
  expect(await page.locator(".code[data-language=go] .t-keyword").count()).toBe(0);
});
