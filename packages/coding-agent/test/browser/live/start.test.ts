import { afterAll, expect } from "bun:test";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { axe } from "../../support/browser/axe.ts";
import { BROWSER, closePages, openPage } from "../../support/browser/browser.ts";
import { LiveServer } from "../../support/browser/live-server.ts";
import { answered, send, sessionOf } from "../../support/browser/live-talk.ts";
import { program } from "../../support/program.ts";
import { says } from "../../support/scenarios/chat-server.ts";
import { testWith } from "../../support/system-tool.ts";

const test = testWith(BROWSER);
afterAll(closePages);

test("the start offers examples and recent sessions, and is gone with the first message", async () => {
  await using machine = await LiveServer.answering(says("One."), says("Two."));
  const id = await machine.session({ name: "Yesterday's work" }, "begin");
  const { page, troubles } = await machine.tab();
  await page.waitForSelector('.start-recent a:text-is("Yesterday\'s work")');
  expect(await page.getAttribute(".start-recent a", "href")).toBe(`#session=${id}`);
  expect(await axe(page)).toEqual([]);
  const example = await page.textContent(".start-example >> nth=0");
  await page.click(".start-example >> nth=0");
  expect(await page.inputValue("#composer")).toBe(example as string);
  await page.press("#composer", "Enter");
  await answered(page, "Two.");
  expect(await page.isVisible(".slot-start")).toBe(false);
  expect(troubles).toEqual([]);
});

test("a link to a session works in another tab of the browser, until the token is forgotten", async () => {
  await using machine = await LiveServer.answering(says("Here."));
  const { page } = await machine.tab();
  await send(page, "hello");
  await answered(page, "Here.");
  const link = `${machine.url}#session=${sessionOf(page)}`;
  const second = await page.context().newPage();
  await second.goto(link);
  await answered(second, "Here.");
  await second.keyboard.press("ControlOrMeta+k");
  await second.locator("dialog[open] .search").fill("forget");
  await second.keyboard.press("Enter");
  await second.waitForSelector(".token-form");
  const third = await page.context().newPage();
  await third.goto(link);
  await third.waitForSelector(".token-form");
  expect(await third.evaluate(() => Object.keys(localStorage).filter((key) => key.includes("token")))).toEqual([]);
});

const STARTS: [name: string, args: string[], isStored: boolean][] = [
  ["pintle web", ["web"], true],
  ["pintle web where others may come", ["web", "--set", 'serve.allowOrigins=["https://app.example"]'], false],
  ["pintle web with the setting off", ["web", "--set", "serve.allowKeys=false"], false],
  ["pintle serve --web", ["serve", "--web"], false],
];
for (const [name, args, isStored] of STARTS) {
  test(`a key ${isStored ? "is stored" : "is refused"} on the page of ${name}`, async () => {
    const home = realpathSync(await mkdtemp(join(tmpdir(), "pintle-key-")));
    const child = Bun.spawn([program, ...args], {
      cwd: home,
      env: { PATH: process.env.PATH ?? "", HOME: home, PINTLE_HOME: join(home, ".pintle") },
      stdin: "ignore",
      stdout: "ignore",
      stderr: "pipe",
    });
    try {
      let text = "";
      for await (const chunk of child.stderr.pipeThrough(new TextDecoderStream())) {
        text += chunk;
        if (/http:\S+\n/.test(text)) break;
      }
      const [address = "", hash = ""] = (/http:\S+/.exec(text)?.[0] ?? "").split("#");
      const { page } = await openPage(address, { hash: `#${hash}` });
      await page.click(".start-keys summary");
      await page.fill("#key-provider", "groq");
      await page.fill("#key", "gsk_a-key-of-the-test");
      await page.click("text=Store the key");
      const outcome = isStored ? "The groq key is stored" : "Storing the key failed";
      await page.waitForSelector(`.notice:has-text("${outcome}")`);
      expect(await page.inputValue("#key")).toBe("");
      const file = join(home, ".pintle/auth.json");
      expect(existsSync(file) && readFileSync(file, "utf8").includes("gsk_a-key-of-the-test")).toBe(isStored);
    } finally {
      child.kill("SIGTERM");
      await child.exited;
      await rm(home, { recursive: true, force: true });
    }
  });
}
