// Creates the images of the live page in docs/images from a real run: the built program, a model on loopback, Chromium.
// bun scripts/screenshots.ts
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Page } from "playwright-core";
import { BROWSER } from "../packages/coding-agent/test/support/browser/browser.ts";
import { LiveServer } from "../packages/coding-agent/test/support/browser/live-server.ts";
import { openNewSession } from "../packages/coding-agent/test/support/browser/live-talk.ts";
import { callsTools, says } from "../packages/coding-agent/test/support/scenarios/chat-server.ts";

const IMAGES = join(import.meta.dir, "../docs/images");
const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };
const DESK = { viewport: { width: 1120, height: 720 } };

const FILES = {
  "src/forecast.ts": `import { readings } from "./readings.ts";

/** The warmest day of the week. */
export function warmest(): string {
  const days = readings();
  return days.sort()[0];
}
`,
  "src/readings.ts": "export const readings = (): number[] => [12, 9, 21, 17];\n",
};
const FIXED = `import { readings } from "./readings.ts";

/** The warmest day of the week. */
export function warmest(): number {
  return Math.max(...readings());
}
`;
const EXPLAINED = `\`warmest()\` sorts the readings **as strings**, so 9 comes after 21:

| readings | sorted | answer |
|---|---|---|
| 12, 9, 21, 17 | 12, 17, 21, 9 | 12 |

\`Math.max\` compares numbers and needs no copy:

\`\`\`ts
return Math.max(...readings());
\`\`\`

I'll change it and run the tests.`;
const TASKS = [
  { content: "Find out why the wrong day is reported", status: "completed" },
  { content: "Read how it is computed", status: "completed" },
];
const TODO = { ops: [{ op: "replace", phases: [{ name: "Forecast", tasks: TASKS }] }] };

const executablePath = Bun.which(BROWSER);
if (!executablePath) throw new Error("chromium is not installed");
mkdirSync(IMAGES, { recursive: true });
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
try {
  await using server = await LiveServer.start({
    files: FILES,
    settings: { "permissions.mode": "ask", "permissions.timeoutMs": 300_000 },
    answers: [
      says("Paris had the most rain: 61 mm."),
      callsTools(
        { name: "todo_write", args: TODO, id: "t" },
        { name: "read", args: { path: "src/forecast.ts" }, id: "r" },
      ),
      says(EXPLAINED),
      callsTools(
        { name: "bash", args: { command: "bun test && git commit -am 'The warmest day is the warmest'" }, id: "b" },
        { name: "write", args: { path: "src/forecast.ts", content: FIXED }, id: "w" },
      ),
      says("Then only the file."),
      says("`toSorted` would leave the list unchanged, and still compare strings."),
    ],
  });
  await server.session({ name: "Rain in May" }, "Which city had the most rain?");
  const { url, hash } = server.address();
  const page = await browser.newPage({ ...DESK, colorScheme: "light", reducedMotion: "reduce" });
  await page.goto(url + hash);
  await page.waitForSelector("html[data-ready]", { state: "attached" });
  const session = await openNewSession(page);
  await send(page, "The forecast shows the wrong day. Why?");
  await page.waitForSelector("text=I'll change it");
  await shoot(page, "live-light");
  await page.emulateMedia({ colorScheme: "dark" });
  await shoot(page, "live-dark");
  await page.emulateMedia({ colorScheme: "light" });

  await send(page, "Yes, fix it and commit");
  await page.waitForSelector(".question >> text=git commit");
  await shoot(page, "live-approval");
  const phone = await browser.newPage({ ...PHONE, colorScheme: "dark", reducedMotion: "reduce" });
  await phone.goto(`${server.address(session).url}${server.address(session).hash}`);
  await phone.waitForSelector(".question");
  await shoot(phone, "live-phone");
  await page.click('.question button:text-is("Deny")');
  await page.waitForSelector(".question .diff");
  await shoot(page, "live-diff");
  await page.click('.question button:text-is("Allow once")');
  await page.waitForSelector("text=Then only the file.");

  await page.locator("article.entry.user", { hasText: "Yes, fix it and commit" }).locator(".entry-action").click();
  await page.waitForFunction(() => (document.querySelector("#composer") as HTMLTextAreaElement).value !== "");
  await send(page, "Would toSorted() do?");
  await page.waitForSelector("text=would leave the list");
  await page.click(".side-tabs >> text=Tree");
  await page.waitForSelector(".tree-line >> text=Would toSorted");
  await shoot(page, "live-tree");
} finally {
  await browser.close();
}

async function send(page: Page, text: string): Promise<void> {
  await page.fill("#composer", text);
  await page.press("#composer", "Enter");
}

/** Waits until nothing moves and no notice covers the page. The run's directory has a person's name. */
async function shoot(page: Page, name: string): Promise<void> {
  await page.evaluate(() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode())
      text.nodeValue = text.nodeValue?.replace(/\/\S*\/pintle-live-\w+\/root/g, "/home/ada/weather") ?? "";
  });
  await page.waitForFunction(() => document.querySelector(".notice")?.textContent === "");
  await page.waitForTimeout(400);
  await page.screenshot({ path: join(IMAGES, `${name}.png`) });
}
