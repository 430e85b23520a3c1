import { afterAll, expect } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { BROWSER, closePages } from "../../support/browser/browser.ts";
import { LiveServer } from "../../support/browser/live-server.ts";
import { openNewSession, said, shown, shownSession } from "../../support/browser/live-talk.ts";
import { says } from "../../support/scenarios/chat-server.ts";
import { sessionFiles } from "../../support/scenarios/stored-sessions.ts";
import { testWith } from "../../support/system-tool.ts";

const test = testWith(BROWSER);
afterAll(closePages);

const start = (files: Record<string, string> = {}) => LiveServer.start({ answers: [says("hello")], files });
const titles = (page: Page) => page.locator(".session-title").allTextContents();
const listed = (page: Page, names: readonly string[]) =>
  page.waitForFunction(
    (wanted) => [...document.querySelectorAll(".session-title")].map((node) => node.textContent).join("|") === wanted,
    names.join("|"),
  );
const item = (page: Page, title: string) => page.locator(".session-item", { hasText: title });
async function act(page: Page, title: string, action: string): Promise<void> {
  await item(page, title).getByRole("button", { name: "Actions for" }).click();
  await item(page, title).getByRole("button", { name: action, exact: true }).click();
}

test("sessions are listed with their state, directory and time, and opened by their link", async () => {
  await using server = await start({ "sub/x": "" });
  const first = await server.session({ name: "The first" }, "one");
  await server.session({ cwd: join(server.root, "sub") }, "two words\nand a line");
  const { page, troubles } = await server.tab();
  await listed(page, ["two words", "The first"]);
  const facts = await page.locator(".session-facts").allTextContents();
  expect(facts).toEqual(["open · sub · now", "open · root · now"]);
  await item(page, "The first").getByRole("link").click();
  await shown(page, first);
  expect(await page.locator("[aria-current=page]").textContent()).toContain("The first");
  await page.goBack();
  expect(troubles).toEqual([]);
});

test("the search finds the first message and the name", async () => {
  await using server = await start();
  await server.session({ name: "Apples" }, "red");
  await server.session({ name: "Pears" }, "green");
  const { page } = await server.tab();
  await listed(page, ["Pears", "Apples"]);
  await page.fill(".search", "appl");
  await listed(page, ["Apples"]);
  expect(await page.textContent(".session-count")).toBe("1 found");
  await page.fill(".search", "nothing of this");
  await page.waitForFunction(() => document.querySelector(".session-count")?.textContent === "Nothing found");
  await page.fill(".search", "");
  await listed(page, ["Pears", "Apples"]);
});

test("a session is renamed, open or stored, and closed", async () => {
  await using server = await start();
  const id = await server.session({}, "a question");
  const { page } = await server.tab();
  await listed(page, ["a question"]);
  const rename = async (from: string, to: string) => {
    await act(page, from, "Rename");
    await page.fill(".session-actions input", to);
    await page.keyboard.press("Enter");
    await listed(page, [to]);
  };
  await rename("a question", "Open one");
  await act(page, "Open one", "Close");
  await page.waitForSelector(".session-item.is-stored");
  await rename("Open one", "Stored <i>one</i>");
  await item(page, "Stored").getByRole("link").click();
  await shown(page, id);
  await page.waitForSelector(".session-item.is-idle");
  expect(await page.textContent("h1")).toBe("Stored <i>one</i>");
});

test("a deleted session is restored with one press on the focused button", async () => {
  await using server = await start();
  const id = await server.session({ name: "Precious" }, "a question");
  const { page, troubles } = await server.tab({ session: id });
  await listed(page, ["Precious"]);
  await act(page, "Precious", "Delete");
  await listed(page, []);
  expect(await shownSession(page)).toBe("");
  await page.waitForFunction(() => document.activeElement?.textContent === "Undo");
  await page.keyboard.press("Enter");
  await listed(page, ["Precious"]);
  await page.waitForFunction(() => document.activeElement?.classList.contains("session-link"));
  await page.keyboard.press("Enter");
  await shown(page, id);
  expect(troubles).toEqual([]);
});

test("a running session is not deleted, and the page says why", async () => {
  await using server = await LiveServer.start({ answers: [() => {}] });
  const { page } = await server.tab({ session: "new" });
  const host = await server.connect();
  const sessionId = await shownSession(page);
  await host.ask({ type: "attach_session", sessionId });
  await host.ask({ type: "prompt", sessionId, message: "never answered" });
  await page.waitForSelector(".session-item.is-running");
  await act(page, "never answered", "Delete");
  await said(page, "A run of the session is active");
  expect(await titles(page)).toEqual(["never answered"]);
  host.close();
});

test("opens a new session only in a directory inside the roots", async () => {
  await using server = await start({ "sub/x": "" });
  const { page } = await server.tab();
  const open = async (directory: string) => {
    await page.click(".new-button");
    await page.fill("#directory", directory);
    await page.keyboard.press("Enter");
  };
  await page.waitForFunction(() => document.querySelectorAll("#directories option").length > 0);
  await open("/etc");
  await said(page, "is not a directory inside the roots");
  await open(join(server.root, "sub"));
  await page.waitForFunction(() => document.querySelector(".session-facts")?.textContent?.includes("sub"));
  const first = await shownSession(page);
  const second = await openNewSession(page);
  expect(second).not.toBe(first);
});

test("exports a session as a file, without the token in any address", async () => {
  await using server = await start();
  await server.session({ name: "To keep: ../x" }, "a question");
  const { page, troubles } = await server.tab();
  const { token } = server;
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await listed(page, ["To keep: ../x"]);
  const [download] = await Promise.all([page.waitForEvent("download"), act(page, "To keep", "Export")]);
  expect(download.suggestedFilename()).toBe("To-keep-x.html");
  const html = readFileSync(await download.path(), "utf8");
  expect(html).toContain("a question");
  expect(asked.filter((url) => url.includes("/export/"))).toHaveLength(1);
  expect(asked.filter((url) => url.includes(token))).toEqual([]);
  expect(troubles).toEqual([]);
});

test("the link to a session leads there, and needs the token", async () => {
  await using server = await start();
  const id = await server.session({ name: "Shared" }, "a question");
  const { page } = await server.tab({ permissions: ["clipboard-read", "clipboard-write"] });
  const { origin: url, token } = server;
  await listed(page, ["Shared"]);
  await act(page, "Shared", "Copy link");
  await said(page, "Copied");
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(link).toBe(`${url}/#session=${id}`);
  await page.goto("about:blank");
  await page.goto(link);
  await shown(page, id);
  const stranger = await server.tab({ session: id });
  expect(await stranger.page.evaluate(() => location.hash)).not.toContain(token);
});

test("hostile names, messages and directories are text", async () => {
  await using server = await start({ "<img src=x onerror=alert(1)>/x": "" });
  await server.session(
    { name: "\u202e<script>alert(1)</script>\u001b[31m", cwd: join(server.root, "<img src=x onerror=alert(1)>") },
    "a question",
  );
  await server.session({}, '"><svg onload=alert(2)>');
  const { page, troubles } = await server.tab();
  await listed(page, ['"><svg onload=alert(2)>', "<script>alert(1)</script> [31m"]);
  expect(await page.locator(".session-list :is(img, script, svg)").count()).toBe(0);
  expect(await page.locator("#directories img").count()).toBe(0);
  await act(page, "script", "Delete");
  await page.waitForSelector(".undo-bar button");
  expect(await page.locator(".undo-bar script").count()).toBe(0);
  expect(troubles).toEqual([]);
});

test("a damaged session is shown with a notice that names its lines", async () => {
  await using server = await LiveServer.start({ answers: [says("one"), says("two")] });
  const session = await server.session({}, "go");
  const host = await server.connect();
  await host.ask({ type: "close_session", sessionId: session });
  const [file] = sessionFiles(join(server.home, "sessions")) as [string];
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  lines[lines.length - 1] = (lines.at(-1) as string).slice(0, -20);
  writeFileSync(file, `${lines.join("\n")}\n`);
  const { page } = await server.tab({ session });
  await page.waitForFunction((end) => document.body.textContent?.includes(end), `: ${lines.length}.`);
  expect(readFileSync(file, "utf8")).toContain(lines.at(-1) as string);
});
