import { SUBJECT_NAMES } from "./subjects.ts";
import { formatGoals, formatWithRatio, type Line } from "./verdict.ts";

export interface Circumstances {
  date: string;
  machine: string;
  versions: Record<string, string>;
  /** One-minute averages, lowest and highest while it ran. */
  load: [number, number];
}

/** docs/benchmarks.md */
export function page(lines: readonly Line[], { date, machine, versions, load }: Circumstances): string {
  const missed = lines.flatMap((line) =>
    line.goals.filter(({ isMet }) => !isMet).map(({ text }) => `- ${line.title}: ${text}`),
  );
  return `# Benchmarks

Written by \`npm run bench side-by-side docs\`. All programs ran in turns in one run against the same model server on loopback; each
figure is the median of its rounds, with the ratio to the floor behind it. The floor is a program compiled like pintle that does for
each row the least that row needs, without sessions, checks or tools of its own.

${date}, ${machine}, load ${load[0].toFixed(1)} to ${load[1].toFixed(1)}. Other work on the machine makes absolute figures larger; ratios suffer less.

| program | version |
|---|---|
${Object.entries(versions)
  .map(([name, version]) => `| ${name} | ${version} |`)
  .join("\n")}

![Times the floor, on a logarithmic scale](benchmarks.svg)

| | ${SUBJECT_NAMES.join(" | ")} | goals |
|---|${SUBJECT_NAMES.map(() => "--:|").join("")}---|
${lines.map((line) => `| ${line.title} | ${SUBJECT_NAMES.map((name) => formatWithRatio(line, name)).join(" | ")} | ${formatGoals(line)} |`).join("\n")}

"same": the row does not depend on the update mode and was measured in the default one. Raw figures: [benchmarks.json](benchmarks.json).

The terminal (first line 19 ms, pi 251 ms) has a run of its own, \`npm run bench terminal\`: [terminal.md](terminal.md#speed).

${missed.length === 0 ? "All goals are met." : `Not met:\n\n${missed.join("\n")}`}
`;
}
