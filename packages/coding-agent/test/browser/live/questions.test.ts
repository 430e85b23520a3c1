import { afterAll, describe, expect } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { BROWSER, closePages } from "../../support/browser/browser.ts";
import { LiveServer } from "../../support/browser/live-server.ts";
import { said, shownSession } from "../../support/browser/live-talk.ts";
import { type LoginServer, startLoginServer } from "../../support/mcp/login-server.ts";
import { callsTools, says } from "../../support/scenarios/chat-server.ts";
import { testWith } from "../../support/system-tool.ts";

const test = testWith(BROWSER);
afterAll(closePages);

const OFFLINE = { defaultProvider: "pintle", defaultModel: "offline" };
const FILES = { "a.js": "oldName();\n", "b.js": "oldName(1);\n" };

const EXTENSION = `
export default function (pi) {
  pi.registerCommand("ask", {
    description: "Asks everything",
    handler: async (args, ctx) => {
      const { ui } = ctx;
      const answers = [
        await ui.select("Which <b>one</b>?", ["first", { label: "second", description: "the better one" }]),
        await ui.confirm("Sure?", "It cannot be undone"),
        await ui.input("Your name", "a name"),
        await ui.editor("The text", "line 1"),
      ];
      ui.setStatus("answers", JSON.stringify(answers));
    },
  });
  pi.registerCommand("show", {
    handler: async (args, ctx) => {
      ctx.ui.setWidget("w", ["above the field"]);
      ctx.ui.setWidget("v", ["below the field"], { placement: "belowEditor" });
      ctx.ui.setStatus("s", "3 of 5");
      ctx.ui.notify("look here", "warning");
    },
  });
  pi.registerCommand("hide", {
    handler: async (args, ctx) => {
      ctx.ui.setWidget("w", undefined);
      ctx.ui.setStatus("s", undefined);
    },
  });
}`;

const gone = (page: Page) => page.waitForSelector(".question", { state: "detached" });
const asked = (page: Page, title: string) =>
  page.waitForFunction((text) => document.querySelector(".question h2")?.textContent === text, title);

describe("previews", () => {
  async function staged(): Promise<{ server: LiveServer; page: Page; read(): string[] }> {
    const server = await LiveServer.start({ settings: OFFLINE, files: FILES });
    const { page } = await server.tab({ session: "new" });
    await server.promptBeside(await shownSession(page), "rename oldName to newName");
    await page.waitForSelector(".question.of-preview");
    return {
      server,
      page,
      read: () => Object.keys(FILES).map((name) => readFileSync(join(server.root, name), "utf8")),
    };
  }

  test("are applied as a whole", async () => {
    const { server, page, read } = await staged();
    await using _ = server;
    expect(await page.locator(".preview-file code").first().textContent()).toBe("a.js");
    expect(await page.locator(".preview-file .diff").count()).toBe(2);
    expect(await page.textContent(".question-timer")).toContain("then: the change is discarded");
    await page.click("text='Apply'");
    await gone(page);
    while (read().some((text) => text.includes("oldName"))) await Bun.sleep(10); // one is written after another
    expect(read()).toEqual(["newName();\n", "newName(1);\n"]);
  });

  test("are applied for some of their files, and the rest is discarded", async () => {
    const { server, page, read } = await staged();
    await using _ = server;
    await page.locator(".preview-file input").first().uncheck();
    await page.click("text='Apply 1 of 2 parts'");
    await gone(page);
    while (read()[1] === FILES["b.js"]) await Bun.sleep(10);
    expect(read()).toEqual(["oldName();\n", "newName(1);\n"]);
  });

  test("are discarded", async () => {
    const { server, page, read } = await staged();
    await using _ = server;
    await page.click('button:text-is("Discard")');
    await gone(page);
    await page.waitForFunction(() => !document.querySelector(".is-running, .is-waiting"));
    expect(read()).toEqual(Object.values(FILES));
  });

  test("that are decided in one tab are gone in the other", async () => {
    const { server, page } = await staged();
    await using _ = server;
    const other = await server.tab({ session: await shownSession(page) });
    await other.page.waitForSelector(".question.of-preview");
    await other.page.click('button:text-is("Discard")');
    await Promise.all([gone(page), said(page, "Answered elsewhere")]);
    expect(await page.locator(".question.of-preview").count()).toBe(0);
  });
});

describe("extensions", () => {
  test("ask with every kind of dialog", async () => {
    await using server = await LiveServer.start({ settings: OFFLINE, homeFiles: { "extensions/x.ts": EXTENSION } });
    const { page, troubles } = await server.tab({ session: "new" });
    await server.promptBeside(await shownSession(page), "/ask");
    await asked(page, "Which <b>one</b>?");
    expect(await page.locator(".option").allTextContents()).toEqual(["first", "secondthe better one"]);
    await page.waitForFunction(() =>
      document.querySelector(".question-timer")?.textContent?.includes("then: nothing is chosen"),
    );
    await page.click(".option >> nth=1");
    await asked(page, "Sure?");
    expect(await page.textContent(".question .whole-text")).toBe("It cannot be undone");
    await page.click("text='Yes'");
    await asked(page, "Your name");
    await page.fill(".question input", "Ada");
    await page.press(".question input", "Enter");
    await asked(page, "The text");
    expect(await page.inputValue(".question textarea")).toBe("line 1");
    await page.fill(".question textarea", "line 2");
    await page.click("text='Send'");
    await page.waitForSelector(".extension-status span");
    expect(await page.textContent(".extension-status")).toBe('["second",true,"Ada","line 2"]');
    expect(troubles).toEqual([]);
  });

  test("hear that a dialog was cancelled", async () => {
    await using server = await LiveServer.start({ settings: OFFLINE, homeFiles: { "extensions/x.ts": EXTENSION } });
    const { page } = await server.tab({ session: "new" });
    await server.promptBeside(await shownSession(page), "/ask");
    await asked(page, "Which <b>one</b>?");
    await page.click("text='Cancel'");
    await asked(page, "Sure?");
    await page.click("text='No'");
    await asked(page, "Your name");
    await page.click("text='Cancel'");
    await asked(page, "The text");
    await page.click("text='Cancel'");
    await page.waitForSelector(".extension-status span");
    expect(await page.textContent(".extension-status")).toBe("[null,false,null,null]");
  });

  test("show a word, a status and lines around the field, and take them away", async () => {
    await using server = await LiveServer.start({ settings: OFFLINE, homeFiles: { "extensions/x.ts": EXTENSION } });
    const { page } = await server.tab({ session: "new" });
    const session = await shownSession(page);
    await server.promptBeside(session, "/show");
    await said(page, "Warning: look here");
    await page.waitForSelector("text=above the field");
    expect(await page.locator(".widget").allTextContents()).toEqual(["above the field", "below the field"]);
    expect(await page.textContent(".extension-status")).toBe("3 of 5");
    await server.promptBeside(session, "/hide");
    await page.waitForFunction(() => document.querySelectorAll(".widget").length === 1);
    expect(await page.textContent(".extension-status")).toBe("");
  });
});

test("the model asks with options, and the answer reaches it", async () => {
  const question = { id: "q", question: "Which one?", options: [{ label: "left" }, { label: "right" }] };
  await using server = await LiveServer.start({
    answers: [callsTools({ name: "ask", args: { questions: [question] } }), says("fine")],
  });
  const { page } = await server.tab({ session: "new" });
  await server.promptBeside(await shownSession(page), "go");
  await asked(page, "Which one?");
  await page.click('button.option:has-text("right")');
  while (server.model.requests.length < 2) await Bun.sleep(10);
  expect(JSON.stringify(server.model.requests[1]?.body.messages)).toContain("q: right");
});

const BUDGET_TITLE = "The budget of this run is used up";

function budgetServer(): Promise<LiveServer> {
  return LiveServer.start({ answers: [callsTools({ name: "ls", args: {} }), says("all of it is done")] });
}

async function budgetQuestion(server: LiveServer): Promise<{ page: Page; session: string }> {
  const session = await server.session({ budget: { turns: 1 } });
  const { page } = await server.tab({ session });
  await server.promptBeside(session, "go");
  await asked(page, BUDGET_TITLE);
  return { page, session };
}

async function countsDown(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    document.querySelector(".question-timer")?.textContent?.endsWith("left, then: the run ends"),
  );
}

test("a run that has used up its budget continues when the budget is raised", async () => {
  await using server = await budgetServer();
  const { page } = await budgetQuestion(server);
  expect(await page.textContent(".question-facts")).toBe("used1 turn of 1 turn");
  await countsDown(page);
  await page.fill("#new-total", "5");
  await page.press("#new-total", "Enter");
  await gone(page);
  await page.waitForSelector("text=all of it is done");
});

test("project code runs when it is trusted, and the question names each part", async () => {
  const code = `export default function (pi) { pi.registerCommand("x", { handler: async (_, ctx) => ctx.ui.setStatus("s", "it runs") }); }`;
  await using server = await LiveServer.start({ settings: OFFLINE, files: { ".pintle/extensions/mine.ts": code } });
  const { page } = await server.tab({ session: "new" });
  await page.waitForSelector(".question.of-trust");
  expect(await page.textContent(".trust-items")).toContain("mine");
  expect(await page.textContent(".question-timer")).toContain("then: not trusted");
  await page.click('button:text-is("Trust")');
  await gone(page);
  await server.promptBeside(await shownSession(page), "/x");
  await page.waitForSelector("text=it runs");
});

test("a used-up budget is asked about again after a reload, and the other tab learns that it was raised", async () => {
  await using server = await budgetServer();
  const { page, session } = await budgetQuestion(server);
  await page.reload();
  await asked(page, BUDGET_TITLE);
  await countsDown(page);
  const other = await server.tab({ session });
  await asked(other.page, BUDGET_TITLE);
  await other.page.waitForSelector(`.session-item.is-waiting [aria-current="page"]`);
  await page.fill("#new-total", "5");
  await page.press("#new-total", "Enter");
  await Promise.all([gone(page), gone(other.page)]);
  await page.waitForSelector("text=all of it is done");
  expect([...other.troubles]).toEqual([]);
});

describe("a login at an MCP server", () => {
  async function started(login: LoginServer): Promise<{ server: LiveServer; page: Page }> {
    const server = await LiveServer.start({
      settings: OFFLINE,
      homeFiles: { "mcp.json": JSON.stringify({ mcpServers: { tickets: { url: login.http.url } } }) },
    });
    const { page } = await server.tab({ session: "new" });
    await asked(page, "Log in at tickets");
    return { server, page };
  }

  test("is a link to the page that the server names; where the browser went is put in by hand", async () => {
    await using login = await startLoginServer();
    const { server, page } = await started(login);
    await using _ = server;
    expect(await page.textContent(".question-facts")).toContain(new URL(login.http.url).host);
    expect(await page.textContent(".question-timer")).toContain("then: the server is not used");
    // The engine was faster than the page and has retried.
    await page.waitForFunction(() => document.querySelector(".side-note") === null);
    const link = page.locator(".login-link");
    expect(await link.getAttribute("rel")).toBe("noopener noreferrer");
    const url = (await link.getAttribute("href")) ?? "";
    // Not an address: it is not sent.
    await page.fill("#redirect-address", "code-1");
    await page.press("#redirect-address", "Enter");
    expect(await page.$eval("#redirect-address", (field) => (field as HTMLInputElement).validity.valid)).toBe(false);
    await page.reload();
    await asked(page, "Log in at tickets");
    const back = (await fetch(url, { redirect: "manual" })).headers.get("location") ?? "";
    await page.fill("#redirect-address", back);
    await page.press("#redirect-address", "Enter");
    await gone(page);
    while (!login.asked.some(({ path }) => path === "/token")) await Bun.sleep(10);
  });

  test("is over when the browser comes back by itself", async () => {
    await using login = await startLoginServer();
    const { server, page } = await started(login);
    await using _ = server;
    await fetch((await page.getAttribute(".login-link", "href")) ?? "");
    await gone(page);
    expect(login.asked.some(({ path }) => path === "/token")).toBe(true);
  });
});
