// The documentation as a site: complete, without a dead link, and usable from the disk in a real browser.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { axe } from "../../packages/coding-agent/test/support/browser/axe.ts";
import { BROWSER } from "../../packages/coding-agent/test/support/browser/browser.ts";
import { where } from "../../packages/coding-agent/test/support/where.ts";
import { root } from "../../scripts/paths.mjs";
import { buildSite } from "../../scripts/site/build-site.mjs";
import { checkLinks } from "../../scripts/site/check-links.mjs";
import { tableOfContents } from "../../scripts/site/contents.mjs";
import { renderMarkdown } from "../../scripts/site/render-page.mjs";
import { scratchPath } from "../support/scratch-directory.mjs";

const scratch = scratchPath();
const site = join(scratch, "site");
beforeAll(() => buildSite(site));

test("every page of docs/ is there, and every link inside leads somewhere", () => {
  const pages = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"));
  const built = readdirSync(site);
  expect(pages.filter((name) => !built.includes(name.replace(".md", ".html")))).toEqual([]);
  expect(checkLinks(site)).toEqual([]);
});

test("a dead link, a missing heading and a foreign image are found", () => {
  const wrong = join(scratch, "wrong");
  mkdirSync(wrong);
  const html = `<h2 id="here">x</h2><a href="#here">ok</a><a href="https://example.org">ok</a>
    <a href="none.html">1</a><a href="a.html#none">2</a><img src="https://example.org/a.png"><a href="../outside.html">4</a>`;
  writeFileSync(join(wrong, "a.html"), html);
  expect(checkLinks(wrong)).toEqual([
    "a.html: none.html does not exist",
    "a.html: the heading a.html#none does not exist",
    "a.html: loads https://example.org/a.png",
    "a.html: ../outside.html does not exist",
  ]);
});

test("a comment of the source is not shown", () => {
  expect(renderMarkdown("<!-- Generated. -->\n\n# T\n", (href) => href).html).not.toContain("Generated");
});

test("HTML in a page is text", () => {
  const { html } = renderMarkdown("# T\n\n<script>alert(1)</script> and <b onclick=x>bold</b>\n", (href) => href);
  expect(html).not.toMatch(/<script|<b /);
  expect(html).toContain("&lt;script&gt;");
});

test("a page that no row of the contents names is still reachable", () => {
  const contents = tableOfContents(["index", "rpc", "new-page", "decisions/0001-a"]);
  expect(contents.find(([heading]) => heading === "More")).toEqual(["More", ["new-page"]]);
  expect(contents.at(-1)).toEqual(["Decisions", ["decisions/0001-a"]]);
});

where(Bun.which(BROWSER) !== null || process.env.CI === "true", BROWSER).describe("in a browser, from the disk", () => {
  let browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: Bun.which(BROWSER), args: ["--no-sandbox"] });
  });
  afterAll(() => browser?.close());

  async function open(path, options) {
    const page = await browser.newPage(options);
    const troubles = [];
    page.on("console", (message) => troubles.push(message.text()));
    page.on("pageerror", (error) => troubles.push(error.message));
    page.on("request", (request) => {
      if (!request.url().startsWith(pathToFileURL(site).href)) troubles.push(request.url());
    });
    await page.goto(pathToFileURL(join(site, path)).href);
    return { page, troubles };
  }

  test("a search finds a section and leads to it", async () => {
    const { page, troubles } = await open("decisions/index.html");
    await page.keyboard.press("/");
    await page.keyboard.type("unread output");
    await page.locator("#results a").first().waitFor();
    expect(await page.locator("#results a").first().textContent()).toStartWith("RPC mode: Unread output");
    await page.keyboard.press("Enter");
    await page.waitForURL(/rpc\.html#unread-output$/);
    expect(await page.locator("h1").textContent()).toBe("RPC mode");
    await page.locator(".search input").fill("no such words anywhere");
    await page.getByText("Nothing found.").waitFor();
    expect(troubles).toEqual([]);
  });

  test("it is light or dark as the system is, until the reader chooses", async () => {
    const { page, troubles } = await open("index.html", { colorScheme: "dark" });
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const dark = await background();
    await page.locator(".theme").click();
    const light = await background();
    expect([dark, light]).toEqual(["rgb(22, 24, 28)", "rgb(255, 255, 255)"]);
    await page.locator("nav a", { hasText: "RPC mode" }).click();
    await page.waitForURL(/rpc\.html$/);
    expect(await background()).toBe(light);
    expect(troubles).toEqual([]);
  });

  test("a page links to its neighbours and lists its headings", async () => {
    const { page, troubles } = await open("concepts.html", { viewport: { width: 1400, height: 900 } });
    expect(await page.locator("footer a[rel=prev]").getAttribute("href")).toBe("getting-started.html");
    expect(await page.locator("footer a[rel=next]").getAttribute("href")).toBe("install.html");
    const headings = await page.locator("main h2").evaluateAll((found) => found.map(({ id }) => `#${id}`));
    const listed = await page
      .locator("aside .level-2 a")
      .evaluateAll((found) => found.map((a) => a.getAttribute("href")));
    expect(listed).toEqual(headings);
    expect(headings.length).toBeGreaterThan(2);
    expect(troubles).toEqual([]);
  });

  test("a button copies a block of code", async () => {
    const { page } = await open("install.html");
    const block = page.locator(".code").first();
    await block.hover();
    await block.locator(".copy").click();
    await block.getByText("Copied").waitFor();
    await page.locator(".search input").focus();
    await page.keyboard.press("ControlOrMeta+v");
    const pasted = await page.locator(".search input").inputValue();
    // A field of one line shows line breaks as blanks.
    expect(pasted.trimEnd()).toBe((await block.locator("code").textContent()).trimEnd().replaceAll("\n", " "));
  });

  test("in the playground a prompt is answered, an approval decided, and each frame has its meaning", async () => {
    const { page, troubles } = await open("playground.html");
    await page.click("button:text-is('Send the frame')");
    await page.waitForSelector(".pg-answer:text-is('Hello from the simulator.')");
    await page.waitForSelector(".pg-frame:has-text('prompt_result')");
    const frames = page.locator(".pg-frame summary");
    expect(await frames.filter({ hasText: "← agentagent_settled" }).textContent()).toContain("The run has ended");
    await frames.filter({ hasText: "host →prompt" }).click();
    expect(await page.textContent(".pg-frame details[open] pre")).toContain('"message": "Say hello"');
    await page.selectOption("#scenario", "Approval");
    await page.click("button:text-is('Send the frame')");
    await page.click(".pg-question >> text=Allow once");
    await page.waitForSelector(".pg-answer:text-is('That is how it went.')");
    expect(await frames.filter({ hasText: "approval_response" }).count()).toBe(1);
    await page.fill("#frame", "not JSON");
    await page.click("button:text-is('Send the frame')");
    await page.waitForSelector(".pg-frame:has-text('It failed: Failed to parse command')");
    expect(troubles).toEqual([]);
    expect(await axe(page)).toEqual([]);
  });

  test.each([
    ["light", 1400],
    ["dark", 1400],
    ["light", 360],
  ])("pages are accessible and fit their window (%s, %d pixels)", async (colorScheme, width) => {
    for (const path of ["index.html", "permissions.html", "settings.html", "playground.html"]) {
      const { page } = await open(path, { colorScheme, viewport: { width, height: 800 } });
      expect(await axe(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      await page.close();
    }
  });

  test("a script in a page would not run", async () => {
    const path = join(site, "injected.html");
    const text = readFileSync(join(site, "install.html"), "utf8");
    writeFileSync(path, text.replace("</main>", '<script>document.title = "ran"</script></main>'));
    const { page, troubles } = await open("injected.html");
    expect(await page.title()).not.toBe("ran");
    expect(troubles.join()).toContain("Content Security Policy");
    rmSync(path);
  });
});
