import { afterAll, describe, expect } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { BROWSER, closePages } from "../../support/browser/browser.ts";
import { LiveServer } from "../../support/browser/live-server.ts";
import { idle, said, shownSession } from "../../support/browser/live-talk.ts";
import { callsTools, says } from "../../support/scenarios/chat-server.ts";
import { testWith } from "../../support/system-tool.ts";

const test = testWith(BROWSER);
afterAll(closePages);

const ASK = { "permissions.mode": "ask" };
const touch = (name: string, id = "call_1") => ({ name: "bash", args: { command: `touch ${name}` }, id });

/** Starts a server whose model wants to run these commands, and a page that shows the question about the first one. */
async function asked(commands: Parameters<typeof callsTools>, settings: Record<string, unknown> = {}) {
  const server = await LiveServer.start({
    settings: { ...ASK, ...settings },
    answers: [callsTools(...commands), says("done")],
  });
  const { page, troubles } = await server.tab({ session: "new" });
  const session = await shownSession(page);
  await server.promptBeside(session, "make it");
  await page.waitForSelector(".question");
  return { server, page, troubles, session };
}

const gone = (page: Page) => page.waitForSelector(".question", { state: "detached" });

/** The results that the model received for its calls. */
async function results(server: LiveServer): Promise<string> {
  while (server.model.requests.length < 2) await Bun.sleep(10);
  return JSON.stringify(server.model.requests.at(-1)?.body.messages);
}

describe("a question whether a tool call may run", () => {
  test("shows the whole command, and an answer lets it run", async () => {
    const { server, page, troubles } = await asked([touch("made")]);
    await using _ = server;
    expect(await page.textContent(".question .whole-text")).toBe("touch made");
    expect(await page.textContent(".question-kind")).toBe("Approval");
    expect(await page.textContent(".question-timer")).toMatch(/^\d+:\d\d left, then: denied$/);
    expect(await page.title()).toStartWith("(1) ");
    await page.click("text=Allow once");
    await gone(page);
    expect(await page.title()).not.toStartWith("(");
    await results(server);
    expect(existsSync(join(server.root, "made"))).toBe(true);
    expect(troubles).toEqual([]);
  });

  test("hides nothing that a terminal would treat as a title, and selects one rule for this project", async () => {
    const hidden = "echo \x1b]0; touch made #\x07";
    const { server, page } = await asked([{ name: "bash", args: { command: hidden }, id: "call_1" }]);
    await using _ = server;
    expect(await page.textContent(".question .whole-text")).toBe("echo ⟨U+1B⟩]0; touch made #⟨U+7⟩");
    await page.click("text='Deny'");
    await gone(page);
    await results(server);
    await idle(page); // a second prompt is refused while the run is active
    server.model.respond(
      callsTools({ name: "bash", args: { command: "git add a | head -3" }, id: "call_2" }),
      says("done"),
    );
    await server.promptBeside(await shownSession(page), "again");
    await page.waitForSelector(".question");
    const rules = await page.locator(".question-rules label").allTextContents();
    const checked = await page
      .locator(".question-rules input")
      .evaluateAll((boxes) => boxes.map((box) => (box as HTMLInputElement).checked));
    expect(rules.map((rule) => rule.replace(server.root, "/p"))).toEqual([
      "command git add a, project /p",
      "command git add *, project /p",
      "command git add a",
      "command git add *",
    ]);
    expect(checked).toEqual([true, false, false, false]);
  });

  test("about a change shows the diff", async () => {
    const { server, page } = await asked([{ name: "write", args: { path: "new.txt", content: "one\ntwo\n" } }]);
    await using _ = server;
    expect(await page.locator(".question .diff ins").allTextContents()).toEqual(["one", "two"]);
    await page.click("text=Deny and stop");
    await gone(page);
    expect(existsSync(join(server.root, "new.txt"))).toBe(false);
  });

  test("is denied with a note that the model reads", async () => {
    const { server, page } = await asked([touch("made")]);
    await using _ = server;
    await page.fill(".question .note", "use another name");
    await page.click("text='Deny'");
    await gone(page);
    expect(await results(server)).toContain("use another name");
    expect(existsSync(join(server.root, "made"))).toBe(false);
  });

  test("for the session: the same command is not asked about again", async () => {
    const { server, page, session } = await asked([touch("made")]);
    await using _ = server;
    server.model.respond(says("done"), callsTools(touch("made", "call_2")), says("done again"));
    await page.click("text=For this session");
    await gone(page);
    await results(server);
    await page.waitForFunction(() => !document.querySelector(".is-running, .is-waiting"));
    await server.promptBeside(session, "again");
    while (server.model.requests.length < 4) await Bun.sleep(10);
    expect(await page.locator(".question").count()).toBe(0);
  });

  test("of a batch queues up, and the focus goes back to the message between them", async () => {
    const { server, page } = await asked([touch("a", "c1"), touch("b", "c2"), touch("c", "c3")]);
    await using _ = server;
    const rest = () => page.textContent(".question-rest");
    await page.waitForFunction(() => document.querySelector(".question-rest")?.textContent?.startsWith("2 more"));
    expect(await page.title()).toStartWith("(3) ");
    const answer = async (label: string) => {
      const title = await page.textContent(".question h2");
      await page.waitForSelector(".question-lock:enabled");
      await page.locator(".question").getByText(label, { exact: true }).focus();
      await page.keyboard.press("Enter");
      await page.waitForFunction((old) => document.querySelector(".question h2")?.textContent !== old, title);
    };
    await answer("Allow once");
    expect(await rest()).toBe("1 more waits behind this");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("composer");
    await answer("Deny");
    expect(await rest()).toBe("");
    await answer("Allow once");
    await results(server);
    expect(["a", "b", "c"].filter((name) => existsSync(join(server.root, name)))).toEqual(["a", "c"]);
  });

  test("is answered in one of two tabs, and the other one says so", async () => {
    const { server, page, session } = await asked([touch("made")]);
    await using _ = server;
    const other = await server.tab({ session });
    await other.page.waitForSelector(".question");
    await other.page.click("text=Allow once");
    await Promise.all([gone(page), gone(other.page), said(page, "Answered elsewhere. bash touch made")]);
    expect(await page.title()).not.toStartWith("(");
    await results(server);
    expect(existsSync(join(server.root, "made"))).toBe(true);
    expect(await other.page.evaluate(() => Reflect.get(window, "notices"))).toEqual([]);
  });

  test("is denied when its time is up, and the page says so", async () => {
    const { server, page } = await asked([touch("made")], { "permissions.timeoutMs": 2000 });
    await using _ = server;
    await said(page, "Not answered in time: denied");
    await gone(page);
    await results(server);
    expect(existsSync(join(server.root, "made"))).toBe(false);
  });

  test("survives a reload, with the remaining time", async () => {
    const { server, page, troubles } = await asked([touch("made")], { "permissions.timeoutMs": 60_000 });
    await using _ = server;
    const left = async () => {
      await page.waitForFunction(() => /\d left/.test(document.querySelector(".question-timer")?.textContent ?? ""));
      const [, minutes, seconds] = /^(\d+):(\d\d)/.exec((await page.textContent(".question-timer")) ?? "") ?? [];
      return 60 * Number(minutes) + Number(seconds);
    };
    await page.waitForFunction(() => document.querySelector(".question-timer")?.textContent?.startsWith("0:5"));
    const before = await left();
    await page.reload();
    await page.waitForSelector(".question");
    expect(await left()).toBeLessThanOrEqual(before);
    await page.click("text=Allow once");
    await results(server);
    expect(existsSync(join(server.root, "made"))).toBe(true);
    expect(troubles).toEqual([]);
  });

  test("has the right deadline even if the clock is wrong", async () => {
    const { server, page } = await asked([touch("made")]);
    await using _ = server;
    await page.addInitScript(() => {
      const now = Date.now.bind(Date);
      Date.now = () => now() + 20 * 60_000;
    });
    await page.reload();
    await page.waitForSelector(".question");
    await page.waitForFunction(() => document.querySelector(".question-timer")?.textContent?.startsWith("4:"));
    await page.click("text=Allow once");
    await results(server);
    expect(existsSync(join(server.root, "made"))).toBe(true);
  });

  test("does not take the focus from a field in use", async () => {
    const server = await LiveServer.start({ settings: ASK, answers: [callsTools(touch("made")), says("done")] });
    await using _ = server;
    const { page } = await server.tab({ session: "new" });
    await page.focus(".search");
    await server.promptBeside(await shownSession(page), "make it");
    await page.waitForSelector(".question");
    await page.keyboard.press("Enter");
    expect(await page.evaluate(() => document.activeElement?.className)).toBe("search");
    expect(await page.textContent(".slot-questions [role=alert]")).toMatch(
      /^Approval: bash touch made\. \d+ \w+ left\.$/,
    );
    expect(await page.locator(".question").count()).toBe(1);
  });

  test("notifies a user who is in another window, if the browser may", async () => {
    const server = await LiveServer.start({ settings: ASK, answers: [callsTools(touch("made")), says("done")] });
    await using _ = server;
    const { page } = await server.tab({ session: "new", permissions: ["notifications"] });
    await page.evaluate(() => {
      const told: string[] = [];
      class Recorded {
        static permission = "granted";
        onclick = null;
        constructor(title: string, { body }: { body: string }) {
          told.push(`${title}: ${body}`);
        }
        close() {
          told.push("closed");
        }
      }
      Object.assign(window, { Notification: Recorded, told });
      Object.defineProperty(document, "hidden", { get: () => true });
    });
    await server.promptBeside(await shownSession(page), "make it");
    await page.waitForSelector(".question");
    await page.click("text='Deny'");
    await gone(page);
    expect(await page.evaluate(() => Reflect.get(window, "told"))).toEqual([
      "Approval waits: bash touch made",
      "closed",
    ]);
  });

  test("hides nothing: direction overrides, terminal sequences and markup are visible", async () => {
    const hostile = "echo \u202egnp.exe; printf '\\e[8m'; echo '<img src=x onerror=alert(1)>' \u001b[2K";
    const { server, page, troubles } = await asked([{ name: "bash", args: { command: hostile } }]);
    await using _ = server;
    const text = await page.textContent(".question .whole-text");
    expect(text).toContain("⟨U+202E⟩gnp.exe");
    expect(text).toContain("<img src=x onerror=alert(1)>");
    expect(await page.locator(".question img").count()).toBe(0);
    expect(troubles).toEqual([]);
  });
});
