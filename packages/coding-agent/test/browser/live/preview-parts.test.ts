import { afterAll, expect } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { axe } from "../../support/browser/axe.ts";
import { BROWSER, closePages } from "../../support/browser/browser.ts";
import { LiveServer, type TabOptions } from "../../support/browser/live-server.ts";
import { said, shownSession } from "../../support/browser/live-talk.ts";
import { callsTools, says } from "../../support/scenarios/chat-server.ts";
import { testWith } from "../../support/system-tool.ts";

const test = testWith(BROWSER);
afterAll(closePages);

const NAME = "a/rather/long/path/to/the/first/of/the/two/files.ts";
const FILES: Readonly<Record<string, string>> = {
  [NAME]: "foo(1);\n\n\n\n\n\n\n\nfoo(2);\n",
  "b.ts": "foo(3);\r\nlast();\r\n",
};

async function staged(options: TabOptions = {}) {
  const server = await LiveServer.start({
    files: FILES,
    answers: [
      callsTools({ name: "ast_edit", args: { ops: [{ pat: "foo($A)", out: "bar($A)" }], path: "." } }),
      says("Done."),
    ],
  });
  const { page, troubles } = await server.tab({ session: "new", reducedMotion: "reduce", ...options });
  await server.promptBeside(await shownSession(page), "go");
  await page.waitForSelector(".question.of-preview fieldset:enabled"); // nothing can be pressed before it could be seen
  const path = (name: string) => join(server.root, name);
  const read = (): (string | undefined)[] => Object.keys(FILES).map((name) => readFileSync(path(name), "utf8"));
  const told = () => JSON.stringify(server.model.requests.at(-1)?.body.messages);
  const file = (name: string) => page.getByRole("group", { name, exact: true });
  return { server, page, troubles, path, read, told, file };
}

const gone = (page: Page) => page.waitForSelector(".question", { state: "detached" });
const applies = (page: Page, label: string) => page.waitForSelector(`.question-controls .main:text-is("${label}")`);
const widthOf = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth);

test("hunks are chosen with the keyboard, in a window of 800 pixels", async () => {
  const { server, page, troubles, read, told, file } = await staged({ viewport: { width: 800, height: 600 } });
  await using _ = server;
  expect(await widthOf(page)).toBe(800);
  await applies(page, "Apply");
  const box = file(NAME).getByRole("checkbox").first();
  await box.focus();
  for (const _step of ["Edit", "Changes", "line 1"]) await page.keyboard.press("Tab");
  await page.keyboard.press("Space");
  await applies(page, "Apply 2 of 3 parts");
  expect(await box.evaluate((node) => (node as HTMLInputElement).indeterminate)).toBe(true);
  expect(await file(NAME).getByRole("checkbox", { name: "line 1" }).isChecked()).toBe(false);
  // One hunk needs no box next to that of its file.
  expect(await file("b.ts").getByRole("checkbox").count()).toBe(1);
  await page.locator(".question-controls .main").focus();
  await page.keyboard.press("Enter");
  await gone(page);
  await page.waitForSelector("text=Done.");
  expect(read()).toEqual([FILES[NAME]!.replace("foo(2)", "bar(2)"), FILES["b.ts"]!.replace("foo", "bar")]);
  expect(told()).toContain(`Applied: ${NAME}:9, b.ts`);
  await page.waitForSelector("text=Preview, applied in part");
  expect(await page.evaluate(() => String(Reflect.get(window, "notices")))).not.toContain("Answered elsewhere");
  expect(troubles).toEqual([]);
});

test("nothing is applied without a part, and everything is chosen again by the box of the file", async () => {
  const { server, page, read, file } = await staged();
  await using _ = server;
  for (const name of Object.keys(FILES)) await file(name).getByRole("checkbox").first().uncheck();
  await applies(page, "Apply 0 of 3 parts");
  expect(await page.locator(".question-controls .main").isDisabled()).toBe(true);
  expect(await file(NAME).getByRole("checkbox", { checked: true }).count()).toBe(0);
  await file(NAME).getByRole("checkbox").first().check();
  await applies(page, "Apply 2 of 3 parts");
  await page.click(".question-controls .main");
  await gone(page);
  await page.waitForSelector("text=Done.");
  expect(read()).toEqual([FILES[NAME]!.replaceAll("foo", "bar"), FILES["b.ts"]]);
});

test("a file is edited before it is applied, keeps its line endings, and the edit survives a refusal", async () => {
  const { server, page, path, read, told, file } = await staged({ viewport: { width: 800, height: 600 } });
  await using _ = server;
  await file("b.ts").getByRole("button", { name: "Edit" }).click();
  const field = file("b.ts").getByRole("textbox", { name: "Text of b.ts" });
  await field.waitFor();
  expect(await field.inputValue()).toBe("bar(3);\nlast();\n");
  await field.fill("mine(3);\nlast();\n");
  await applies(page, "Apply with edits");
  await file(NAME).getByRole("checkbox").first().uncheck();
  await applies(page, "Apply 1 of 3 parts");
  writeFileSync(path("b.ts"), "foo(4);\r\nlast();\r\n");
  await page.click(".question-controls .main");
  await page.waitForSelector(".question-error:has-text('changed since the preview')");
  expect(await field.inputValue()).toBe("mine(3);\nlast();\n");
  writeFileSync(path("b.ts"), FILES["b.ts"]!);
  await page.click(".question-controls .main");
  await gone(page);
  await page.waitForSelector("text=Done.");
  expect(read()).toEqual([FILES[NAME], "mine(3);\r\nlast();\r\n"]);
  expect(told()).toContain("The user edited the proposed text");
  await page.waitForSelector("text=Preview, applied in part, with edits");
});

test("the proposed text is used again after an edit", async () => {
  const { server, page, read, file } = await staged();
  await using _ = server;
  await file("b.ts").getByRole("button", { name: "Edit" }).click();
  await file("b.ts").getByRole("textbox").fill("mine");
  await applies(page, "Apply with edits");
  await page.click("text='Use the proposed text'");
  await applies(page, "Apply");
  expect(await file("b.ts").locator(".diff").count()).toBe(1);
  await page.click(".question-controls .main");
  await gone(page);
  await page.waitForSelector("text=Done.");
  expect(read()).toEqual(Object.values(FILES).map((text) => text.replaceAll("foo", "bar")));
});

test("a preview that is decided elsewhere is gone, also while its text is edited", async () => {
  const { server, page, file } = await staged();
  await using _ = server;
  await file("b.ts").getByRole("button", { name: "Edit" }).click();
  await file("b.ts").getByRole("textbox").fill("mine");
  const other = await server.tab({ session: await shownSession(page) });
  await other.page.waitForSelector(".question.of-preview fieldset:enabled");
  await other.page.click('button:text-is("Discard")');
  await Promise.all([gone(page), said(page, "Answered elsewhere")]);
  expect(await page.locator(".question.of-preview").count()).toBe(0);
});

test("fits on a phone and is accessible", async () => {
  const viewport = { width: 360, height: 740 };
  const { server, page, file } = await staged({ viewport, hasTouch: true, isMobile: true });
  await using _ = server;
  expect(await widthOf(page)).toBe(360);
  expect(await axe(page)).toEqual([]);
  await file("b.ts").getByRole("button", { name: "Edit" }).click();
  await file("b.ts").getByRole("textbox").waitFor();
  expect(await widthOf(page)).toBe(360);
  expect(await axe(page)).toEqual([]);
});
