// The live page and the exported page with sessions full of generated markup, in Chromium: `bun bench/soak/page.ts [sessions
// [first-seed]]` from the repository's root, after a build. No script may run, nothing may be loaded from elsewhere, and nothing may
// leave its place.
import { exportHtml } from "../../packages/coding-agent/src/export/export-html.ts";
import {
  BROWSER,
  closePages,
  type OpenedPage,
  openPage,
  settled,
} from "../../packages/coding-agent/test/support/browser/browser.ts";
import { harmIn, NO_HARM } from "../../packages/coding-agent/test/support/browser/harm.ts";
import { LiveServer } from "../../packages/coding-agent/test/support/browser/live-server.ts";
import { createHostileSession, HOSTILE } from "../../packages/coding-agent/test/support/export/hostile-session.ts";
import { type Random, randomOf } from "../../packages/coding-agent/test/support/fuzz/random.ts";
import { says } from "../../packages/coding-agent/test/support/scenarios/chat-server.ts";

const [count = 50, firstSeed = 1] = process.argv.slice(2).map(Number);
const TEXTS = 12;
const LONGEST = 3_000;
const POSITIONS = 8;

if (!Bun.which(BROWSER)) throw new Error(`${BROWSER} is not installed`);

/** Markdown and markup around which the hostile strings are cut and joined. */
const JOINTS = [
  ..."\n|\n\n|> |- |1. |# |**|_|~~|`|```\n|\n```|[|](|)|![|<|>|\"|'|&|&lt;|&#x3c;|\\|\0|\u2028|\u202e|<!--|-->|</p>|<svg|<math|]]>".split(
    "|",
  ),
  ..." onerror=window.pwned=1|javascript:window.pwned=1|JaVaScRiPt&#58;window.pwned=1|data:text/html,<script>top.pwned=1</script>".split(
    "|",
  ),
  ..."https://evil.example/x|\tjava\nscript:window.pwned=1|srcset=//evil.example/x 1x|style=background:url(//evil.example/x)".split(
    "|",
  ),
];
const SOURCES = HOSTILE.filter((text) => text.length < 10_000).map((text) => text.toWellFormed());

function evilText(random: Random): string {
  const pieces = Array.from({ length: 1 + random.int(12) }, () => {
    if (random.chance(0.4)) return random.pick(JOINTS);
    const source = random.pick(SOURCES);
    const start = random.chance(0.6) ? 0 : random.int(source.length);
    return source.slice(start, random.chance(0.6) ? undefined : start + random.int(source.length));
  });
  return (
    pieces
      .join(random.chance(0.3) ? random.pick(JOINTS) : "")
      .toWellFormed()
      .slice(0, LONGEST) || "x"
  );
}

async function lookAround(
  { page, troubles }: OpenedPage,
  scroll: (part: number) => Promise<unknown>,
): Promise<string[]> {
  const faults: string[] = [];
  for (let at = 0; at <= POSITIONS; at += 1) {
    await scroll(at / POSITIONS);
    await settled(page);
    await page.evaluate(() => {
      for (const details of document.querySelectorAll("details")) details.open = true;
    });
    const harm = await page.evaluate(harmIn);
    if (!Bun.deepEquals(harm, NO_HARM)) faults.push(JSON.stringify(harm));
  }
  faults.push(...troubles);
  await page.context().close();
  return [...new Set(faults)];
}

async function play(seed: number): Promise<string[]> {
  await using machine = await LiveServer.answering(says("ok"));
  const random = randomOf(seed);
  const texts = Array.from({ length: TEXTS }, () => evilText(random));
  const { sample, file } = createHostileSession(texts);
  try {
    const viewport = { width: random.pick([1280, 360]), height: 800 };
    const live = await machine.tab({ session: machine.store(file), viewport });
    await live.page.waitForSelector("article.entry");
    const liveFaults = await lookAround(live, (part) =>
      live.page.$eval(".scroller", (scroller, place) => scroller.scrollTo(0, scroller.scrollHeight * place), part),
    );
    const options = { source: { path: file }, cwd: sample.directory, blobDir: sample.blobDir, version: "1" };
    const { path } = await exportHtml({ ...options, systemPrompt: texts.join("\n\n"), tools: [] });
    const exported = await openPage(path, { viewport });
    const exportFaults = await lookAround(exported, (part) =>
      exported.page.evaluate((place) => window.scrollTo(0, document.documentElement.scrollHeight * place), part),
    );
    return [...liveFaults.map((fault) => `live: ${fault}`), ...exportFaults.map((fault) => `exported: ${fault}`)];
  } finally {
    sample.remove();
  }
}

const total = { sessions: 0, faults: 0 };
for (let seed = firstSeed; total.sessions < count; seed += 1) {
  const faults = await play(seed);
  await closePages();
  total.sessions += 1;
  total.faults += faults.length;
  for (const fault of faults) console.log(`seed ${seed}: ${fault.slice(0, 500)}`);
  if (total.sessions % 10 === 0 || total.sessions === count)
    console.log(`${total.sessions} sessions, ${total.sessions * TEXTS} texts, ${total.faults} faults`);
}
process.exit(total.faults === 0 ? 0 : 1); // the browser would keep the process
