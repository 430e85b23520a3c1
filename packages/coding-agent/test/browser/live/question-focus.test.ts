import { afterAll, describe, expect } from "bun:test";
import { readdirSync } from "node:fs";
import type { Page } from "playwright-core";
import { randomNumbers } from "../../../../terminal/test/support/random-typist.ts";
import { BROWSER, closePages } from "../../support/browser/browser.ts";
import { LiveServer } from "../../support/browser/live-server.ts";
import { shownSession } from "../../support/browser/live-talk.ts";
import { callsTools, says } from "../../support/scenarios/chat-server.ts";
import { testWith } from "../../support/system-tool.ts";

const test = testWith(BROWSER);
afterAll(closePages);

const ASK = { "permissions.mode": "ask", "permissions.maxDenials": 0 };
const touch = (name: string, id = name) => ({ name: "bash", args: { command: `touch ${name}` }, id });
const focused = (page: Page) =>
  page.evaluate(
    () => document.activeElement?.id || document.activeElement?.textContent || document.activeElement?.tagName,
  );
const unlocked = (page: Page) => page.waitForSelector(".question-lock:enabled");
const gone = (page: Page) => page.waitForSelector(".question", { state: "detached" });
const made = (server: LiveServer) => readdirSync(server.root).filter((name) => name.startsWith("made"));

async function opened(...calls: Parameters<typeof callsTools>) {
  const server = await LiveServer.start({ settings: ASK, answers: [callsTools(...calls), says("done")] });
  const { page } = await server.tab({ session: "new" });
  return { server, page, ask: async () => server.promptBeside(await shownSession(page), "make it") };
}

describe("a question on the page", () => {
  test("leaves the focus with a message in progress until the user moves to it", async () => {
    const { server, page, ask } = await opened(touch("made"));
    await using _ = server;
    await page.focus("#composer");
    await page.keyboard.type("half a mess");
    await ask();
    await unlocked(page);
    expect(await focused(page)).toBe("composer");
    expect(await page.isVisible(".question-hint")).toBe(true);
    await page.keyboard.type("age");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelector(".above-field")?.textContent?.includes("half a message"));
    expect(await page.locator(".question").count()).toBe(1);
    await page.keyboard.type("kept");
    await page.keyboard.press("Tab");
    expect(await focused(page)).toBe("Deny");
    expect(await page.isVisible(".question-hint")).toBe(false);
    await page.keyboard.type("!"); // text goes to the message, and so does the focus
    expect(await focused(page)).toBe("composer");
    expect(await page.inputValue("#composer")).toBe("kept!");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await gone(page);
    expect(await focused(page)).toBe("composer");
    expect([await page.inputValue("#composer"), made(server)]).toEqual(["kept!", []]);
  });

  test("takes the focus when nothing is typed, on the answer that changes nothing", async () => {
    const { server, page, ask } = await opened(touch("made"));
    await using _ = server;
    await page.focus("#composer");
    await Bun.sleep(1_100); // the page waits for a second without a key press
    await ask();
    await page.waitForFunction(() => document.activeElement?.textContent === "Deny");
    await page.keyboard.press("Enter");
    await gone(page);
    expect(made(server)).toEqual([]);
  });

  test("is not answered by the second half of a double click on the previous one", async () => {
    const { server, page, ask } = await opened(touch("made-1"), touch("made-2"));
    await using _ = server;
    await ask();
    await page.waitForFunction(() => document.querySelector(".question-rest")?.textContent?.startsWith("1 more"));
    await unlocked(page);
    await page.dblclick('.question button:text-is("Allow once")');
    await page.waitForFunction(() => document.querySelector(".question h2")?.textContent?.includes("made-2"));
    await unlocked(page);
    expect(await page.locator(".question").count()).toBe(1);
    await page.click('.question button:text-is("Deny")');
    await gone(page);
    while (server.model.requests.length < 2) await Bun.sleep(10);
    expect(made(server)).toEqual(["made-1"]);
  });
});

test("a budget that is used up ends the run by what is preselected, and leaves a message that is being written alone", async () => {
  await using server = await LiveServer.start({ answers: [callsTools({ name: "ls", args: {} }), says("not asked")] });
  const session = await server.session({ budget: { turns: 1 } });
  const { page } = await server.tab({ session });
  await page.focus("#composer");
  await page.keyboard.type("half");
  await server.promptBeside(session, "go");
  await unlocked(page);
  expect(await focused(page)).toBe("composer");
  await page.keyboard.press("Tab");
  expect(await focused(page)).toBe("End the run");
  await page.keyboard.press("Enter");
  await gone(page);
  await page.waitForSelector(".activity .pulse", { state: "detached" }); // the run is over
  expect([await page.inputValue("#composer"), server.model.requests.length]).toEqual(["half", 1]);
});

test("the preset full is confirmed, and the confirmation says what ends", async () => {
  await using server = await LiveServer.start({
    settings: { "permissions.mode": "workspace", "serve.maxPermissions": "full" },
  });
  const { page } = await server.tab({ session: "new" });
  const preset = page.locator("select[aria-label=Permissions]");
  for (const [label, mode] of [
    ["Leave the permissions as they are", "workspace"],
    ["Allow everything, unasked", "full"],
  ] as const) {
    await preset.focus();
    await page.keyboard.press("ArrowDown");
    await page.waitForSelector("dialog[open] >> text=End the sandbox and all questions?");
    expect(await focused(page)).toBe("Leave the permissions as they are");
    await page.click(`dialog[open] button:text-is("${label}")`);
    await page.waitForFunction(
      (value) => document.querySelector<HTMLSelectElement>("select[aria-label=Permissions]")?.value === value,
      mode,
    );
  }
});

test("the preset full is confirmed again right after it was declined", async () => {
  await using server = await LiveServer.start({
    settings: { "permissions.mode": "workspace", "serve.maxPermissions": "full" },
  });
  const { page } = await server.tab({ session: "new" });
  const preset = page.locator("select[aria-label=Permissions]");
  await preset.selectOption("full");
  await page.waitForSelector("dialog[open] >> text=End the sandbox and all questions?");
  // In one task, so that the close event of the first dialog arrives while it is open again.
  await page.locator('dialog[open] button:text-is("Leave the permissions as they are")').evaluate((leave) => {
    const select = document.querySelector<HTMLSelectElement>("select[aria-label=Permissions]")!;
    (leave as HTMLButtonElement).click();
    select.value = "full";
    select.dispatchEvent(new Event("change"));
  });
  await page.click('dialog[open] button:text-is("Allow everything, unasked")');
  await page.waitForFunction(() => document.querySelector(".picker.free") !== null);
  expect(await preset.inputValue()).toBe("full");
});

const TYPING_MS = 12_000;
const KEYS = ["Enter", "Enter", "ArrowDown", "ArrowUp", "ArrowRight", "Space", "Backspace", "y", "1", "a"];
const PASTES = ["yes\n", "\n", "allow once", "a\tb"];

test("a typist who does not look cannot allow anything on the page", async () => {
  const random = randomNumbers(37);
  const one = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)]!;
  let calls = 0;
  await using server = await LiveServer.start({
    settings: { ...ASK, "permissions.timeoutMs": 1_500 },
    answers: [
      async (...given) => {
        await Bun.sleep(random() * 300);
        calls += 1;
        await callsTools(touch(`made-${calls}`))(...given);
      },
    ],
  });
  const { page } = await server.tab({ session: "new" });
  await page.focus("#composer");
  await page.keyboard.type("x");
  await server.promptBeside(await shownSession(page), "make it");
  const chosen: string[] = [];
  const choose = async () => {
    const button = page.locator('.question-lock:enabled button:text-is("Allow once")');
    const title =
      (await button.count()) > 0 ? await page.textContent(".question h2", { timeout: 200 }).catch(() => "") : "";
    const name = /made-\d+/.exec(title ?? "")?.[0];
    if (name === undefined) return;
    chosen.push(name, `made-${calls}`); // another one may be shown by now; the typing was aimed at it too
    await button.click({ timeout: 300 }).catch(() => {});
  };
  const hasKeyboard = () => page.evaluate(() => document.activeElement?.closest(".question") !== null);
  let pressedAt = performance.now();
  let hasChosen = false;
  const endAt = performance.now() + TYPING_MS;
  while (performance.now() < endAt) {
    await Bun.sleep(random() * 300);
    const isQuestion = await hasKeyboard();
    const pauseMs = performance.now() - pressedAt;
    if (pauseMs < 1_000 && !hasChosen) expect(isQuestion).toBe(false);
    pressedAt = performance.now();
    hasChosen = false;
    // After a pause a question may have taken the focus; typing takes it back.
    if (pauseMs > 500) await page.keyboard.type("x");
    else if (random() < 0.08) {
      await choose();
      hasChosen = true;
    } else if (random() < 0.2) await page.keyboard.insertText(one(PASTES));
    else await page.keyboard.press(one(KEYS));
  }
  expect(calls).toBeGreaterThan(2);
  expect(made(server).filter((name) => !chosen.includes(name))).toEqual([]);
});
