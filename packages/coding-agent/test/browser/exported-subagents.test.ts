import { afterAll, expect } from "bun:test";
import { exportHtml } from "../../src/export/export-html.ts";
import { BROWSER, closePages, openPage } from "../support/browser/browser.ts";
import { startFamily, task } from "../support/subagents/family.ts";
import { testWith } from "../support/system-tool.ts";

const test = testWith(BROWSER);
afterAll(closePages);

test("an exported page leads from a task call to the subagent's conversation and back", async () => {
  const { session, cwd } = await startFamily(({ task: text, turn }) =>
    text === "Go" && turn === 0
      ? [task({ tasks: [{ task: "look", name: "eyes", agent: "scout" }] })]
      : [{ text: `the answer to ${text}` }],
  );
  await session.prompt("Go");
  const { path } = await exportHtml({ source: { manager: session.manager }, cwd, version: "1.2.3" });
  await session.dispose();

  const { page, troubles } = await openPage(path);
  const titles = () => page.$$eval("[role=treeitem]", (all) => all.map(({ textContent }) => textContent ?? ""));
  const conversation = () => page.textContent(".feed, main");
  expect(await page.$$eval(".tile", (all) => all.map((tile) => tile.textContent))).toContainEqual(
    expect.stringMatching(/^Branches1/),
  );
  expect(await conversation()).toContain("the answer to Go");
  expect((await titles()).at(-1)).toBe("▸⑂Subagent eyes (scout)");

  const call = page.locator("details.tool", { hasText: "eyes" });
  await call.evaluate((details: HTMLDetailsElement) => {
    details.open = true;
  });
  await call.locator("li.child a").click();
  await page.locator("article.subagent h3", { hasText: "Subagent eyes (scout)" }).waitFor();
  expect(await conversation()).toContain("the answer to look");
  expect(await conversation()).not.toContain("the answer to Go");
  expect((await titles()).slice(-1)).not.toContain("▸⑂Subagent eyes (scout)");

  await page.locator("article.subagent a", { hasText: "The call that started it" }).click();
  await page.locator("article.assistant", { hasText: "the answer to Go" }).waitFor();
  expect(troubles).toEqual([]);
});
