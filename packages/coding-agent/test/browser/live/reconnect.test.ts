import { afterAll, expect } from "bun:test";
import { BROWSER, closePages } from "../../support/browser/browser.ts";
import { LiveServer } from "../../support/browser/live-server.ts";
import { answered, conversation, idle, send } from "../../support/browser/live-talk.ts";
import { heldAnswer, says } from "../../support/scenarios/chat-server.ts";
import { testWith } from "../../support/system-tool.ts";

const browserTest = testWith(BROWSER);
afterAll(closePages);

browserTest("a socket that is cut in the middle of an answer loses nothing", async () => {
  const answer = heldAnswer();
  await using machine = await LiveServer.answering(answer.respond, says("After."));
  const { page } = await machine.tab();
  await send(page, "tell me");
  await answer.asked;
  answer.write("One. ");
  await page.waitForSelector(".is-writing:has-text('One.')");
  for (const part of ["Two. ", "Three. ", "Four. "]) {
    machine.relay.cut();
    answer.write(part);
    await page.waitForSelector(`.is-writing:has-text('${part.trim()}')`);
  }
  machine.relay.cut();
  answer.finish();
  await answered(page, "One. Two. Three. Four.");
  await idle(page);
  // A message that is sent while the connection is lost stays visible and is delivered once.
  const { target } = machine.relay;
  machine.relay.target = undefined;
  machine.relay.cut();
  await page.waitForSelector(".banner:has-text('No connection')");
  await send(page, "and now");
  await page.waitForSelector(".is-outgoing:has-text('Waiting for connection'):has-text('and now')");
  machine.relay.target = target;
  await answered(page, "After.");
  await page.waitForSelector(".is-outgoing", { state: "detached" });
  expect(await conversation(page)).toEqual([
    "User: tell me",
    "Assistant: One. Two. Three. Four.",
    "User: and now",
    "Assistant: After.",
  ]);
});

browserTest("a server that is killed and started again is had again, with everything that was stored", async () => {
  const answer = heldAnswer();
  await using machine = await LiveServer.answering(says("Stored."), answer.respond, says("Here again."));
  const { page } = await machine.tab();
  await send(page, "first");
  await answered(page, "Stored.");
  await idle(page);
  await send(page, "second");
  await answer.asked;
  answer.write("Half an ans");
  await page.waitForSelector(".is-writing:has-text('Half an ans')");
  await machine.killServer();
  await page.waitForSelector(".banner:has-text('No connection')");
  await machine.startServer();
  await page.waitForSelector(".banner", { state: "detached" });
  await idle(page);
  await page.waitForSelector(".is-over:has-text('Continue')");
  await send(page, "third");
  await answered(page, "Here again.");
  const read = (await conversation(page)).filter((line) => line.startsWith("User"));
  expect(read).toEqual(["User: first", "User: second", "User: third"]);
});

browserTest("a server with another token is not asked for ever: the page wants the new one", async () => {
  await using machine = await LiveServer.answering(says("Yes."));
  const { page } = await machine.tab();
  await send(page, "hello");
  await answered(page, "Yes.");
  await machine.killServer();
  machine.changeToken("another-token-that-is-long-enough-0123456789");
  await machine.startServer();
  await page.waitForSelector(".token-form");
  await page.fill("#token", "another-token-that-is-long-enough-0123456789");
  await page.click(".token-form button");
  await answered(page, "Yes.");
  expect(await page.locator(".token-form").count()).toBe(0);
});

browserTest("a connection that is only seemingly there is noticed when the reader comes back", async () => {
  await using machine = await LiveServer.answering(says("Yes."), says("Awake."));
  const { page } = await machine.tab();
  await send(page, "hello");
  await answered(page, "Yes.");
  await idle(page);
  // Simulates a sleep: the clock has jumped, and the old connection no longer transmits anything.
  machine.relay.freeze();
  await page.evaluate(() => {
    const now = Date.now.bind(Date);
    Date.now = () => now() + 3_600_000;
    document.dispatchEvent(new Event("visibilitychange"));
  });
  await page.waitForSelector(".banner:has-text('No connection')");
  machine.relay.thaw();
  await page.waitForSelector(".banner", { state: "detached" });
  await send(page, "are you there");
  await answered(page, "Awake.");
  expect(await page.locator(".banner").count()).toBe(0);
});
