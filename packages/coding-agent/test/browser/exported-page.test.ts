import { afterAll, beforeAll, describe, expect } from "bun:test";
import { exportHtml } from "../../src/export/export-html.ts";
import { BROWSER, closePages, type OpenedPage, openPage, printed, settled } from "../support/browser/browser.ts";
import { createTour, type Tour } from "../support/export/tour.ts";
import { testWith } from "../support/system-tool.ts";

const test = testWith(BROWSER);

let tour: Tour;
let path: string;
beforeAll(async () => {
  tour = createTour();
  const { sample } = tour;
  const options = {
    source: { manager: sample.manager },
    cwd: sample.directory,
    blobDir: sample.blobDir,
    version: "1.2.3",
  };
  ({ path } = await exportHtml({
    ...options,
    systemPrompt: "Be **brief**.",
    tools: [{ name: "bash", description: "Runs" }],
  }));
});
afterAll(async () => {
  tour.sample.remove();
  await closePages();
});

async function withPage(
  options: Parameters<typeof openPage>[1],
  look: (opened: OpenedPage) => Promise<void>,
): Promise<void> {
  const opened = await openPage(path, options);
  try {
    await look(opened);
    expect(opened.troubles).toEqual([]);
  } finally {
    await opened.page.context().close();
  }
}

/** Everything is built once the reader has scrolled through the whole page. */
const END = { viewport: { width: 1280, height: 9000 } };

describe("the exported page", () => {
  test("shows the figures of the session", () =>
    withPage({}, async ({ page }) => {
      expect(await page.title()).toBe("Fix the warmest hour");
      expect(await page.textContent("h1")).toBe("Fix the warmest hour");
      const tiles = await page.$$eval(".tile", (all) =>
        all.map((tile) => [tile.querySelector("dt")?.textContent, tile.querySelector("dd")?.textContent]),
      );
      expect(tiles.map(([name]) => name)).toEqual(["Cost", "Tokens", "Duration", "Messages", "Tool calls", "Branches"]);
      expect(Object.fromEntries(tiles)).toMatchObject({ Messages: "14", "Tool calls": "9", Branches: "2" });
      expect(await page.textContent(".models")).toBe("anthropic/claude-sonnet-4-5 10openai/gpt-5.1 1");
      expect(await page.$$eval(".chart svg rect.k-cost", (all) => all.length)).toBe(11);
      expect(await page.$$eval(".lane", (all) => all.length)).toBe(7);
    }));

  test("shows every kind of entry and tool in its own way", () =>
    withPage(END, async ({ page }) => {
      const seen = await page.evaluate(() => {
        const texts = (selector: string) =>
          [...document.querySelectorAll(selector)].map((node) => node.textContent ?? "");
        return {
          tools: [...document.querySelectorAll(".tool")].map((card) => card.querySelector(".tool-name")?.textContent),
          headings: [...new Set(texts(".entry-head h3"))],
          changes: texts(".change-text"),
          marks: texts(".diff mark"),
          removed: texts(".diff del"),
          added: texts(".diff ins"),
          decisions: texts(".decision"),
          todos: texts(".todo"),
          endings: texts(".ending"),
          hits: texts(".hit-file"),
          json: texts(".t-structure"),
          keywords: texts(".t-keyword"),
          images: [...document.images].map((image) => image.complete && image.naturalWidth),
          thinking: [...document.querySelectorAll<HTMLDetailsElement>("details.thinking")].map(({ open }) => open),
          tables: texts("th"),
        };
      });
      expect(seen.tools).toEqual([
        "grep",
        "read",
        "bash",
        "edit",
        "todo_write",
        "bash",
        "ast_edit",
        "resolve",
        "weather_lookup",
      ]);
      expect(seen.headings).toEqual([
        "User",
        "Assistant",
        "Branch summary",
        "Compaction of 48,210 tokens",
        "Command of the user",
      ]);
      expect(seen.changes.map((line) => line.replace(/ #$/, ""))).toEqual([
        "Model: anthropic/claude-sonnet-4-5",
        "Thinking: medium",
        "Model: openai/gpt-5.1",
        "Name: Fix the warmest hour",
      ]);
      expect(seen.marks).toContain("lastIndexOf");
      expect(seen.removed).toContain("  return hours.indexOf(Math.max(...hours));");
      expect(seen.added).toContain("export function hourOfMaximum({ hours }: Forecast): number {");
      expect(seen.decisions).toEqual([
        "Preview, applied by the model — Both places are right.",
        "Applied: 2 replacements in 2 files — Both places are right.",
      ]);
      expect(seen.todos).toHaveLength(4);
      expect(seen.endings).toEqual([
        "The answer failed: 529 overloaded_error: the service is overloaded",
        "Aborted: Request was aborted",
      ]);
      expect(seen.hits).toEqual(["src/forecast.ts", "src/cli.ts"]);
      expect(seen.json).toContain('"units"');
      expect(seen.keywords).toContain("export");
      expect(seen.images).toEqual([2]);
      expect(seen.thinking).toEqual([false]);
      expect(seen.tables).toEqual(["city", "before", "now"]);
    }));

  test("finds words in all entries, highlights them and scrolls to them", () =>
    withPage({}, async ({ page }) => {
      await page.keyboard.press("/");
      await page.keyboard.type("overloaded_error");
      await page.waitForFunction(() => document.querySelector(".status")?.textContent?.startsWith("1 match"));
      await page.keyboard.press("Enter");
      await settled(page);
      expect(await page.textContent(".entry.is-chosen .ending")).toContain("529 overloaded_error");
      const isVisible = await page.$eval(
        ".entry.is-chosen",
        (entry) => entry.getBoundingClientRect().top >= 0 && entry.getBoundingClientRect().top < innerHeight,
      );
      expect(isVisible).toBe(true);
      expect(await page.evaluate(() => [...(CSS.highlights.get("found") ?? [])].map(String))).toContain(
        "overloaded_error",
      );
    }));

  test("finds words of other branches, and choosing one shows its branch", () =>
    withPage({}, async ({ page }) => {
      expect(
        await page.$$eval(".entry", (all) =>
          all
            .map((entry) => entry.textContent)
            .join()
            .includes("forecast.rs"),
        ),
      ).toBe(false);
      await page.fill(".search", "forecast.rs");
      await page.waitForFunction(() => document.querySelector(".status")?.textContent?.startsWith("1 match"));
      await page.click(".tree-line");
      await settled(page);
      expect(await page.textContent(".entry.is-chosen")).toContain("forecast.rs");
      expect(await page.textContent(".tile:nth-child(5) dd")).toBe("6");
      expect(new URL(page.url()).hash).toBe(`#entry-${tour.ids.abandoned}`);
    }));

  test("a link leads to its entry: on this branch, on another, to a result inside an answer", () =>
    withPage({ hash: `#entry-${tour.ids.abandoned}` }, async ({ page }) => {
      expect(await page.textContent(".entry.is-chosen")).toContain("forecast.rs");
      await page.evaluate((id) => {
        location.hash = `#entry-${id}`;
      }, tour.ids.edit);
      await settled(page);
      expect(await page.textContent(".entry.is-chosen .tool-name")).toBe("edit");
      await page.evaluate((id) => {
        location.hash = `#entry-${id}`;
      }, tour.ids.compaction);
      await settled(page);
      expect(await page.textContent(".entry.is-chosen h3")).toBe("Compaction of 48,210 tokens");
    }));

  test("filters of the tree", () =>
    withPage({}, async ({ page }) => {
      const count = () => page.textContent(".status").then((text) => Number.parseInt(text ?? "", 10));
      const counts: Record<string, number> = {};
      for (const name of ["default", "no-tools", "user", "labelled", "all"]) {
        await page.click(`[data-filter="${name}"]`);
        counts[name] = await count();
      }
      expect(counts).toEqual({ default: 24, "no-tools": 15, user: 4, labelled: 1, all: 33 });
      expect(await page.$$eval('.tree-line[aria-level="2"]', (all) => all.length)).toBeGreaterThan(0);
    }));

  test("can be used with the keyboard alone", () =>
    withPage({}, async ({ page }) => {
      const chosen = () => page.$eval(".entry.is-chosen", (entry) => entry.getAttribute("aria-label") ?? "");
      await page.keyboard.press("]");
      expect(await chosen()).toStartWith("User: The command line tool");
      await page.keyboard.press("j");
      expect(await chosen()).toStartWith("Assistant: I'll look");
      expect(await page.evaluate(() => document.activeElement?.classList.contains("is-chosen"))).toBe(true);
      await page.keyboard.press("o");
      expect(
        await page.$eval(".entry.is-chosen details.thinking", (details) => (details as HTMLDetailsElement).open),
      ).toBe(true);
      await page.keyboard.press("]");
      expect(await chosen()).toStartWith("User: Rename warmestHour");
      await page.keyboard.press("[");
      expect(await chosen()).toStartWith("User: The command line tool");
      await page.keyboard.press("e");
      expect(await chosen()).toStartWith("Assistant: Let me see it fail");
      await page.keyboard.press("e");
      expect(await chosen()).toContain("overloaded_error");
      await page.keyboard.press("t");
      await page.keyboard.press("Home");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      expect(await chosen()).toStartWith("Assistant: I'll look");
      await page.keyboard.press("?");
      expect(await page.$eval("dialog", (dialog) => dialog.hasAttribute("open"))).toBe(true);
    }));

  test("keys pressed in successive frames each start from the entry of the one before", () =>
    withPage({}, async ({ page }) => {
      await page.evaluate(async () => {
        const press = (key: string) =>
          document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
        const frame = () => new Promise(requestAnimationFrame);
        for (const key of ["]", "]", "[", "e"]) {
          press(key);
          await frame();
        }
      });
      await settled(page);
      expect(await page.getAttribute(".entry.is-chosen", "aria-label")).toStartWith("Assistant: Let me see it fail");
    }));

  test("the charts lead to their entries", () =>
    withPage({}, async ({ page }) => {
      await page.focus('[aria-label="Tokens and cost by turn"]');
      await page.keyboard.press("End");
      expect(await page.getAttribute('[aria-label="Tokens and cost by turn"]', "aria-valuetext")).toStartWith(
        "Turn 11: 2,160 tokens",
      );
      await page.keyboard.press("Home");
      await page.keyboard.press("Enter");
      expect(await page.textContent(".entry.is-chosen .turn")).toBe("turn 1");
      await page.click(".lane:first-child rect.bad");
      await settled(page);
      expect(await page.textContent(".entry.is-chosen .turn")).toBe("turn 2");
      await page.click(".ranking a >> nth=0");
      await settled(page);
      expect(await page.textContent(".entry.is-chosen .turn")).toBe("turn 1");
    }));

  test("follows the system's light or dark theme until the reader chooses", () =>
    withPage({ colorScheme: "dark" }, async ({ page }) => {
      const turns = (wanted: "light" | "dark") =>
        page.waitForFunction((wanted) => {
          const [red = 0] = getComputedStyle(document.body).backgroundColor.match(/\d+/g)?.map(Number) ?? [];
          return (red > 128 ? "light" : "dark") === wanted;
        }, wanted);
      await turns("dark");
      await page.keyboard.press("d");
      await turns("light");
      await page.reload();
      await page.waitForSelector("html[data-ready]", { state: "attached" });
      await turns("light");
    }));

  test("fits on a phone", () =>
    withPage({ viewport: { width: 320, height: 740 } }, async ({ page }) => {
      for (let step = 0; step < 20; step += 1) {
        await page.keyboard.press("j");
        await settled(page);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
      }
      expect(await page.isVisible(".side")).toBe(false);
      await page.click(".side-button");
      await page.click('.tree-line:has-text("I\'ll look") >> nth=0');
      await page.locator(".entry.is-chosen", { hasText: "I'll look" }).waitFor();
      expect(await page.isVisible(".side")).toBe(false);
    }));

  test("has names and roles for screen readers", () =>
    withPage({}, async ({ page }) => {
      const outline = await page.locator("body").ariaSnapshot();
      for (const part of [
        'navigation "Entries"',
        'searchbox "Search in all entries"',
        'tree "Entries of the session"',
        "main:",
        'heading "Fix the warmest hour" [level=1]',
        'slider "Tokens and cost by turn"',
        'feed "Conversation"',
        'article "User: The command line tool',
      ]) {
        expect(outline).toContain(part);
      }
      const nameless = await page.$$eval("button, a[href], input, [role=region]", (all) =>
        all
          .filter((node) => !(node.textContent?.trim() || node.getAttribute("aria-label")))
          .map((node) => node.outerHTML),
      );
      expect(nameless).toEqual([]);
    }));

  test("the tree follows the reader", () =>
    withPage({}, async ({ page }) => {
      const selected = () => page.$$eval('[aria-selected="true"]', (all) => all.map((line) => line.ariaLabel));
      expect(await selected()).toEqual([]);
      await page.$eval(".entry.assistant", (entry) => entry.scrollIntoView());
      await page.waitForSelector('.tree-line[aria-selected="true"]');
      expect(await selected()).toEqual([expect.stringContaining("I'll look")]);
      // A selected result stays selected while the answer that shows it is visible.
      await page.click('.tree-line:has-text("forecast.test.ts")');
      await settled(page);
      expect(await selected()).toEqual([expect.stringContaining("bun test test/forecast.test.ts")]);
    }));

  test("a link to the previous position works again", () =>
    withPage({}, async ({ page }) => {
      const top = () => page.$eval(".entry.is-chosen", (entry) => entry.getBoundingClientRect().top);
      await page.click(".ranking a >> nth=0");
      await settled(page);
      await page.evaluate(() => window.scrollTo(0, 0));
      await settled(page);
      expect(await top()).toBeGreaterThan(400);
      await page.click(".ranking a >> nth=0");
      await settled(page);
      expect(await top()).toBeLessThan(200);
    }));

  test("opens and closes all thinking and all calls at once, including in entries that are built later", () =>
    withPage({}, async ({ page }) => {
      const open = (kind: string) =>
        page.$$eval(`details.${kind}`, (all) => [...new Set(all.map((node) => (node as HTMLDetailsElement).open))]);
      for (const wanted of [true, false]) {
        await page.keyboard.press("h");
        await page.keyboard.press("H");
        expect(await open("thinking")).toEqual([wanted]);
        await page.keyboard.press("G");
        await settled(page);
        expect(await open("tool")).toEqual([wanted]);
        await page.keyboard.press("g");
        await settled(page);
        expect([await open("thinking"), await open("tool")]).toEqual([[wanted], [wanted]]);
      }
    }));

  test("is printed completely, in light colours and without screen-only controls", () =>
    withPage({ colorScheme: "dark" }, async ({ page }) => {
      await page.keyboard.press("d"); // light, then dark by choice
      await page.keyboard.press("d");
      const built = await page.$$eval(".entry", (all) => all.length);
      const onPaper = await printed(page);
      expect(built).toBeLessThan(21);
      expect(onPaper).toEqual({
        entries: 21,
        note: "All 21 entries of this branch. 9 parts left out because they are folded.",
        seen: [],
        background: "rgb(255, 255, 255)",
      });
      await settled(page);
      expect(await page.$$eval(".not-printed", (all) => all.length)).toBe(0);
    }));
});
