// Makes 40 typical and 40 mistaken tool calls with the same scripted model in pintle, pi and codex (the newest from
// npm): what each answers, in how many bytes, and what a model would conclude. "right": the result contains what the
// call was for, or names the mistake; "refused": an error without that; "misled": neither. `npm run bench tools --
// --rows` prints every result.
import { printTable } from "./support/table.ts";
import { FILES, MISTAKEN, type ToolTrial, TYPICAL } from "./tools/calls.ts";
import { availablePrograms, play } from "./tools/programs.ts";

const REFUSAL =
  /not available|error|invalid|validation|not found|unknown|unsupported|unrecognized|must|fail|denied|no such/i;

function verdict({ truth }: ToolTrial, result: string | undefined): "right" | "refused" | "misled" | "no answer" {
  if (result === undefined) return "no answer";
  if (truth.test(result)) return "right";
  return REFUSAL.test(result) ? "refused" : "misled";
}

const showsRows = process.argv.includes("--rows");
const table: string[][] = [["program", "calls", "right", "refused", "misled", "no answer", "bytes of results"]];
for (const program of availablePrograms()) {
  for (const [kind, trials] of [
    ["typical", TYPICAL],
    ["mistaken", MISTAKEN],
  ] as const) {
    const { results } = await play(program, trials, FILES);
    const verdicts = trials.map((trial, index) => verdict(trial, results[index]));
    const count = (wanted: string) => String(verdicts.filter((one) => one === wanted).length);
    const bytes = results.reduce((sum, result = "") => sum + Buffer.byteLength(result), 0);
    table.push([
      program.name,
      kind,
      count("right"),
      count("refused"),
      count("misled"),
      count("no answer"),
      String(bytes),
    ]);
    if (!showsRows) continue;
    for (const [index, { tool, args }] of trials.entries()) {
      const text = (results[index] ?? "").replaceAll("\n", "⏎").slice(0, 160);
      console.log(`${program.name} | ${verdicts[index]} | ${tool} ${JSON.stringify(args)} | ${text}`);
    }
  }
}
printTable(table);
