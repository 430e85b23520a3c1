// Counts phrases that read as if translated (prose/patterns.mjs), per package and kind of text. A count above the recorded ceiling
// fails; `--record` lowers the ceilings to what there is and never raises one. `--list [path]` shows every phrase.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./paths.mjs";
import { compareWithCeilings, countPhrases, findPhrases, lowerCeilings } from "./prose/phrases.mjs";

const CEILINGS = join(root, "scripts", "prose", "ceilings.json");

if (import.meta.url === pathToFileURL(process.argv[1]).href) main(process.argv.slice(2));

function main([option, path = ""]) {
  const ceilings = JSON.parse(readFileSync(CEILINGS, "utf8"));
  const phrases = sourceFiles().flatMap((file) => findPhrases(file, readFileSync(join(root, file), "utf8")));
  if (option === "--list") {
    for (const phrase of phrases.filter(({ file }) => file.startsWith(path))) console.log(describe(phrase));
    return;
  }
  const counts = countPhrases(phrases);
  if (option === "--record") {
    writeFileSync(CEILINGS, `${JSON.stringify(lowerCeilings(ceilings, counts), null, 2)}\n`);
    return;
  }
  const exceeded = compareWithCeilings(ceilings, counts);
  for (const { area, kind, count, ceiling } of exceeded) {
    console.log(`${area}, ${kind}: ${count} phrases, at most ${ceiling}`);
    const inGroup = phrases.filter((phrase) => phrase.area === area && phrase.kind === kind);
    const added = inGroup.filter(isAddedSinceRecording());
    for (const phrase of added.length > 0 ? added : inGroup) console.log(`  ${describe(phrase)}`);
  }
  if (exceeded.length > 0) process.exitCode = 1;
}

function describe({ file, line, phrase, instead }) {
  return `${file}:${line}: "${phrase}" (write: ${instead})`;
}

/** Files in git, including those not yet added; generated ones are judged by what they are generated from. */
function sourceFiles() {
  const listed = git(["ls-files", "--cached", "--others", "--exclude-standard", "-z"]).split("\0");
  return listed.filter((file) => /\.(md|py|tsx?|m?js)$/.test(file) && !/(^|\/)(fixtures|generated)\//.test(file));
}

/** Narrows a failed group to the lines that were added since the ceilings were last recorded. */
function isAddedSinceRecording() {
  const recorded = git(["log", "-1", "--format=%H", "--", CEILINGS]).trim();
  const added = new Set();
  let file = "";
  for (const line of git(["diff", "-U0", "--no-color", recorded || "HEAD"]).split("\n")) {
    if (line.startsWith("+++ b/")) file = line.slice("+++ b/".length);
    const [, start, length = "1"] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
    for (let at = 0; start !== undefined && at < Number(length); at++) added.add(`${file}:${Number(start) + at}`);
  }
  return (phrase) => added.has(`${phrase.file}:${phrase.line}`);
}

function git(args) {
  return execFileSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 256 * 1024 * 1024 });
}
