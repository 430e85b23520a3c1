import { codeBlock } from "../code/code-view.ts";
import { type Child, h } from "../dom.ts";
import { entryHash } from "../entry-hash.ts";
import { count, dateAndTime, duration, money, shortNumber } from "../format.ts";
import { markdown } from "../markdown/rich-text.ts";
import type { PageIndex, Row } from "../page-data.ts";
import { type Figures, tokenSum } from "./figures.ts";
import { toolTimeline } from "./tool-timeline.ts";
import { usageChart } from "./usage-chart.ts";

export interface OverviewParts {
  index: PageIndex;
  figures: Figures;
  branches: number;
  goTo(row: number): void;
}

/** The overview after the conversation: what it cost, and where the time went. */
export function overview({ index, figures, branches, goTo }: OverviewParts): Child {
  return [
    tiles(figures, branches),
    figures.turns.length > 0 &&
      h(
        "div",
        { class: "panels" },
        h(
          "section",
          { class: "panel", "aria-labelledby": "chart-usage" },
          h("h2", { id: "chart-usage" }, "Tokens and cost by turn"),
          usageChart(figures, goTo),
          dearestTurns(index.rows, figures),
        ),
        figures.calls.length > 0 &&
          h(
            "section",
            { class: "panel", "aria-labelledby": "chart-tools" },
            h("h2", { id: "chart-tools" }, "Tool calls by time"),
            toolTimeline(figures, goTo),
            slowestCalls(index.rows, figures),
          ),
      ),
    instructions(index),
  ];
}

/** The beginning of the page: what it shows, from when and where. */
export function pageHeading({ session, rows, isRedacted }: PageIndex): Child {
  const first = rows.find(({ kind }) => kind === "user")?.title;
  return h(
    "div",
    { class: "title" },
    h("h1", { dir: "auto" }, session.name ?? first ?? "Session"),
    h(
      "p",
      { class: "where" },
      h("span", {}, dateAndTime(Date.parse(session.created))),
      h("code", {}, session.cwd),
      h("span", { class: "quiet" }, session.id),
      session.parent !== undefined && h("span", { class: "quiet" }, `continues ${session.parent}`),
      isRedacted && h("span", { class: "badge" }, "secrets masked"),
    ),
  );
}

function tiles({ usage, counts, elapsedMs, modelMs, toolMs, models, tools }: Figures, branches: number): Child {
  const [input, output, cacheRead, cacheWrite, cost] = usage;
  const tile = (name: string, value: string, ...more: Child[]) =>
    h("div", { class: "tile" }, h("dt", {}, name), h("dd", {}, value), h("dd", { class: "tile-more" }, more));
  return [
    h(
      "dl",
      { class: "tiles" },
      tile("Cost", money(cost), cost > 0 && counts.assistant > 0 && `${money(cost / counts.assistant)} per turn`),
      tile(
        "Tokens",
        shortNumber(tokenSum(usage)),
        shares(usage),
        kind("input", `↑ ${shortNumber(input)}`, "input"),
        kind("output", `↓ ${shortNumber(output)}`, "output"),
        kind("cache-read", shortNumber(cacheRead), "cache read"),
        kind("cache-write", shortNumber(cacheWrite), "cache written"),
      ),
      tile("Duration", duration(elapsedMs), `model ${duration(modelMs)}, tools ${duration(toolMs)}`),
      tile(
        "Messages",
        (counts.user + counts.assistant).toLocaleString(),
        `${count(counts.user, "prompt")}, ${count(counts.assistant, "turn")}`,
      ),
      tile(
        "Tool calls",
        counts.tool.toLocaleString(),
        tools
          .slice(0, 4)
          .map(({ name, count: times }) => `${name} ${times.toLocaleString()}`)
          .join(", "),
      ),
      tile(
        "Branches",
        branches.toLocaleString(),
        [
          counts.compaction > 0 && count(counts.compaction, "compaction"),
          counts.failed > 0 && `${count(counts.failed, "answer")} failed or aborted`,
        ]
          .filter(Boolean)
          .join(", "),
      ),
    ),
    models.length > 0 &&
      h(
        "p",
        { class: "models" },
        models.map(({ name, turns }) => h("span", { class: "chip" }, name, " ", h("b", {}, turns.toLocaleString()))),
      ),
  ];
}

function kind(name: string, amount: string, label: string): Child {
  return [h("span", { class: `key k-${name}` }, `${amount} ${label}`), " "];
}

/** The kinds of tokens as parts of one bar. */
function shares(usage: Figures["usage"]): Child {
  const total = tokenSum(usage);
  if (total === 0) return undefined;
  const part = (name: string, amount: number) => {
    const element = h("span", { class: `k-${name}` });
    element.style.flexGrow = String(amount / total);
    return amount > 0 && element;
  };
  return h(
    "span",
    { class: "shares", "aria-hidden": "true" },
    part("cache-read", usage[2]),
    part("cache-write", usage[3]),
    part("input", usage[0]),
    part("output", usage[1]),
  );
}

function dearestTurns(rows: readonly Row[], { turns }: Figures): Child {
  const dear = turns.filter(({ usage }) => usage[4] > 0).sort((a, b) => b.usage[4] - a.usage[4]);
  if (dear.length < 2) return undefined;
  return ranking(
    "Most expensive turns",
    dear.slice(0, 3).map(({ row, usage }) => [rows[row] as Row, money(usage[4])]),
  );
}

function slowestCalls(rows: readonly Row[], { calls }: Figures): Child {
  if (calls.length < 2) return undefined;
  const slow = calls.toSorted((a, b) => b.ms - a.ms).slice(0, 3);
  return ranking(
    "Slowest calls",
    slow.map(({ row, ms }) => [rows[row] as Row, duration(ms)]),
  );
}

function ranking(name: string, entries: readonly (readonly [Row, string])[]): Child {
  return [
    h("h3", { class: "ranking-name" }, name),
    h(
      "ol",
      { class: "ranking", "aria-label": name },
      entries.map(([row, value]) =>
        h(
          "li",
          {},
          h("b", {}, value),
          " ",
          h("a", { href: entryHash(row.id) }, row.tool ? `${row.tool}: ${row.title}` : row.title),
        ),
      ),
    ),
  ];
}

function instructions({ systemPrompt, tools = [] }: PageIndex): Child {
  return [
    systemPrompt !== undefined &&
      systemPrompt !== "" &&
      h("details", { class: "instructions" }, h("summary", {}, "System prompt"), markdown(systemPrompt)),
    tools.length > 0 &&
      h(
        "details",
        { class: "instructions" },
        h("summary", {}, count(tools.length, "tool"), " offered to the model"),
        h(
          "dl",
          {},
          tools.map(({ name, description }) => [h("dt", {}, name), h("dd", {}, codeBlock(description, { lines: 6 }))]),
        ),
      ),
  ];
}
