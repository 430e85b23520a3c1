import { afterAll, expect, test } from "bun:test";
import { brotliDecompressSync } from "node:zlib";
import { livePage } from "../../../src/commands/web/live-page.ts";
import { BROWSER, closePages, openPage } from "../../support/browser/browser.ts";
import { LiveServer } from "../../support/browser/live-server.ts";
import { answered, send, sessionOf } from "../../support/browser/live-talk.ts";
import { says } from "../../support/scenarios/chat-server.ts";
import { testWith } from "../../support/system-tool.ts";

const browserTest = testWith(BROWSER);
afterAll(closePages);

const MOST_BYTES = 100 * 1024;

test("everything that the first load needs fits into 100 KB, and is one document", () => {
  expect(livePage.brotli.length).toBeLessThan(MOST_BYTES);
  expect(livePage.gzip.length).toBeLessThan(1.15 * MOST_BYTES); // for very old browsers
  const html = brotliDecompressSync(livePage.brotli).toString();
  expect(Buffer.from(Bun.gunzipSync(livePage.gzip)).toString()).toBe(html);
  // Compares parts, so that an error message does not contain the whole page.
  expect(html.split("<script").length - 1).toBe(1);
  expect(html.slice(0, html.indexOf("<style>"))).not.toMatch(/(?:src|href)="(?!data:)/);
  expect(
    /url\((?!data:)|@import/.exec(html.slice(html.indexOf("<style>"), html.indexOf("</style>")))?.[0],
  ).toBeUndefined();
});

test("nothing but the page's own script and style is allowed", () => {
  expect(livePage.policy).toContain("default-src 'none'");
  expect(livePage.policy).toContain("connect-src 'self'");
  expect(livePage.policy).toContain("frame-ancestors 'none'");
  expect(livePage.policy).not.toMatch(/unsafe|\*|https?:/);
});

browserTest("the token leaves the address at once, and is in no request", async () => {
  await using machine = await LiveServer.answering(says("Yes."));
  const { page, troubles } = await machine.tab();
  expect(page.url()).not.toContain(machine.token);
  await send(page, "hello");
  await answered(page, "Yes.");
  expect(page.url()).toBe(`${machine.url}#session=${sessionOf(page)}`);
  // A reload requests it again.
  await page.reload();
  await answered(page, "Yes.");
  expect(await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name))).toEqual([]);
  expect(troubles).toEqual([]);
});

browserTest("without a token the page asks for it, and shows nothing", async () => {
  await using machine = await LiveServer.answering();
  const { page } = await openPage(machine.url);
  expect(await page.textContent(".token-form h2")).toBe("Which server?");
  await page.fill("#token", `${machine.url}#token=${machine.token}`);
  await page.click(".token-form button");
  await page.waitForFunction(
    () => document.querySelector(".token-form") === null && "ready" in document.documentElement.dataset,
  );
});

browserTest("a page of another origin gets neither a connection nor the page in a frame", async () => {
  await using machine = await LiveServer.answering();
  using foreign = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () =>
      new Response(`<!doctype html><html data-ready><body><iframe src="${machine.url}"></iframe></body></html>`, {
        headers: { "content-type": "text/html" },
      }),
  });
  const { page } = await openPage(`http://127.0.0.1:${foreign.port}/`);
  const outcome = await page.evaluate(
    ([url, token]) =>
      new Promise((resolve) => {
        const socket = new WebSocket(`${url}ws`.replace(/^http/, "ws"), ["pintle", `pintle.token.${token}`]);
        socket.addEventListener("open", () => resolve("open"));
        socket.addEventListener("close", () => resolve("refused"));
      }),
    [machine.url, machine.token],
  );
  expect(outcome).toBe("refused");
  const read = await page.evaluate(
    (url) =>
      fetch(url).then(
        () => "read",
        () => "refused",
      ),
    machine.url,
  );
  expect(read).toBe("refused");
  const frame = page.frames().find((candidate) => candidate !== page.mainFrame());
  expect(await frame?.evaluate(() => document.querySelector(".live") === null)).toBe(true);
});

browserTest("the browser itself would refuse what the page does not do", async () => {
  await using machine = await LiveServer.answering();
  const { page } = await machine.tab();
  const refused = await page.evaluate(async () => {
    const violations = new Set<string>();
    const isTold = new Promise<void>((resolve) => {
      document.addEventListener("securitypolicyviolation", ({ effectiveDirective }) => {
        violations.add(effectiveDirective);
        if (violations.size === 3) resolve();
      });
    });
    const throws = (action: () => void) => {
      try {
        action();
        return false;
      } catch {
        return true;
      }
    };
    const markup = throws(() => {
      document.body.innerHTML += "<p>x</p>";
    });
    const style = document.createElement("style");
    style.textContent = "body { display: none }";
    document.body.append(style);
    const network = await fetch("https://evil.example/").then(
      () => false,
      () => true,
    );
    await isTold;
    return { markup, network, violations: [...violations].sort() };
  });
  expect(refused).toEqual({
    markup: true,
    network: true,
    violations: ["connect-src", "require-trusted-types-for", "style-src-elem"],
  });
});
