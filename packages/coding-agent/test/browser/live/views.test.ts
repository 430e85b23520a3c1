import { afterAll, expect, test } from "bun:test";
import { livePage } from "../../../src/commands/web/live-page.ts";
import { BROWSER, closePages } from "../../support/browser/browser.ts";
import { LiveServer } from "../../support/browser/live-server.ts";
import { answered, send } from "../../support/browser/live-talk.ts";
import { says } from "../../support/scenarios/chat-server.ts";
import { testWith } from "../../support/system-tool.ts";

const browserTest = testWith(BROWSER);
afterAll(closePages);

const CODE = "```ts\nconst a = 1;\n```\n\nThat is all.";
const KEYWORD = ".code[data-language=ts] .t-keyword:text-is('const')";
const VIEW = "**/view/highlighter.js";

test("the policy of the page names each view's script by its hash, and no address", () => {
  const scripts = Object.entries(livePage.files).filter(([path]) => path.startsWith("view/"));
  expect(scripts.length).toBeGreaterThan(0);
  const sources = /script-src ([^;]+)/.exec(livePage.policy)?.[1]?.split(" ") ?? [];
  for (const [, script] of scripts) {
    const hash = new Bun.CryptoHasher("sha256").update(Bun.gunzipSync(script)).digest("base64");
    expect(sources).toContain(`'sha256-${hash}'`);
  }
  expect(sources.length).toBe(scripts.length + 1);
  expect(sources.filter((source) => !source.startsWith("'sha256-"))).toEqual([]);
});

browserTest("a view loads with its first use, and once", async () => {
  await using machine = await LiveServer.answering(says("Nothing to colour."), says(CODE), says(CODE));
  const { page, troubles } = await machine.tab();
  const loads: string[] = [];
  page.on(
    "request",
    (request) => void (request.url().includes("/view/") && loads.push(new URL(request.url()).pathname)),
  );
  await send(page, "hello");
  await answered(page, "Nothing to colour.");
  expect(loads).toEqual([]);
  for (const count of [1, 2]) {
    await send(page, "show me");
    await page.waitForFunction(
      ([selector, expected]) => document.querySelectorAll(selector as string).length === expected,
      [".code[data-language=ts] .t-keyword", count] as const,
    );
  }
  expect(loads).toEqual(["/view/highlighter.js"]);
  expect(troubles).toEqual([]);
});

browserTest("a script that differs from the one the page was built with does not run", async () => {
  await using machine = await LiveServer.answering(says(CODE), says(CODE));
  const { page } = await machine.tab();
  await page.route(VIEW, async (route) => {
    const answer = await route.fetch();
    const headers = { ...answer.headers(), "cache-control": "no-store" };
    await route.fulfill({ response: answer, headers, body: `window.ran = true;${await answer.text()}` });
  });
  await send(page, "show me");
  await answered(page, "That is all.");
  expect(await page.evaluate(() => "ran" in window)).toBe(false);
  expect(await page.locator(KEYWORD).count()).toBe(0);
  // The next block of code retries.
  await page.unroute(VIEW);
  await send(page, "and again");
  await page.waitForSelector(KEYWORD);
});

browserTest("only the page itself loads views, and it loads nothing else", async () => {
  await using machine = await LiveServer.answering();
  const { page } = await machine.tab();
  const outcomes = await page.evaluate(async () => {
    const types = (window as unknown as { trustedTypes: { createPolicy(name: string, rules: object): unknown } })
      .trustedTypes;
    const attempt = (action: () => unknown) => {
      try {
        action();
        return "done";
      } catch {
        return "refused";
      }
    };
    const anything = { createScriptURL: (text: string) => text };
    return {
      same: attempt(() => types.createPolicy("pintle-views", anything)),
      other: attempt(() => types.createPolicy("other", anything)),
      address: attempt(() => document.createElement("script").setAttribute("src", "/view/highlighter.js")),
      imported: await import("/view/highlighter.js" as string).then(
        () => "done",
        () => "refused",
      ),
    };
  });
  expect(outcomes).toEqual({ same: "refused", other: "refused", address: "refused", imported: "refused" });
});
