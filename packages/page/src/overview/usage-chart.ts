import { type Child, h, replaceChildren, svg } from "../dom.ts";
import { count, money, shortNumber } from "../format.ts";
import type { UsageRow } from "../page-data.ts";
import { type Figures, groupTurns, tokenSum } from "./figures.ts";

const MOST_COLUMNS = 120;
const [TOKENS_HEIGHT, COST_HEIGHT, GAP] = [110, 46, 14];

/** Bottom to top. Fully billed tokens come first, where they are easiest to compare. */
const KINDS = [
  { name: "output", index: 1, label: "output" },
  { name: "input", index: 0, label: "input" },
  { name: "cache-write", index: 3, label: "cache write" },
  { name: "cache-read", index: 2, label: "cache read" },
] as const;

type Group = ReturnType<typeof groupTurns>[number];

/** Tokens and cost of every turn. The arrow keys go from turn to turn, Enter and a click to its entry. */
export function usageChart(figures: Figures, goTo: (row: number) => void): HTMLElement {
  const groups = groupTurns(figures.turns, MOST_COLUMNS);
  const hasCost = figures.usage[4] > 0;
  const [width, height] = [Math.max(240, groups.length * 8), TOKENS_HEIGHT + (hasCost ? GAP + COST_HEIGHT : 0)];
  const each = width / Math.max(1, groups.length);
  const mostTokens = Math.max(1, ...groups.map(({ usage }) => tokenSum(usage)));
  const mostCost = Math.max(1e-12, ...groups.map(({ usage }) => usage[4]));
  const readout = h("p", { class: "readout", "aria-hidden": "true" });
  const cursor = svg("rect", { class: "cursor", y: 0, width: each, height, x: 0, visibility: "hidden" });

  const column = ({ usage }: Group, at: number): Child => {
    const x = at * each + each * 0.1;
    const w = each * 0.8;
    let y = TOKENS_HEIGHT;
    const bars = KINDS.map(({ name, index }) => {
      const size = (usage[index] / mostTokens) * (TOKENS_HEIGHT - 6);
      y -= size;
      return size > 0 && svg("rect", { class: `k-${name}`, x, y, width: w, height: size });
    });
    const costSize = (usage[4] / mostCost) * (COST_HEIGHT - 4);
    return [bars, hasCost && svg("rect", { class: "k-cost", x, y: height - costSize, width: w, height: costSize })];
  };
  const picture = svg(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", "aria-hidden": "true" },
    cursor,
    groups.map(column),
    svg("line", { class: "base", x1: 0, x2: width, y1: TOKENS_HEIGHT, y2: TOKENS_HEIGHT }),
    hasCost && svg("line", { class: "base", x1: 0, x2: width, y1: height, y2: height }),
  );
  const frame = h(
    "div",
    {
      class: "chart",
      tabindex: 0,
      role: "slider",
      "aria-label": "Tokens and cost by turn",
      "aria-valuemin": 1,
      "aria-valuemax": groups.length,
      "aria-valuenow": 1,
      "aria-valuetext": "Arrow keys go from one to the next, Enter to its entry",
    },
    picture,
  );
  picture.style.height = `${height}px`;

  let at = -1;
  const move = (next: number) => {
    at = Math.max(0, Math.min(groups.length - 1, next));
    const group = groups[at];
    if (!group) return;
    cursor.setAttribute("x", String(at * each));
    cursor.setAttribute("visibility", "visible");
    const text = describe(group);
    frame.setAttribute("aria-valuenow", String(at + 1));
    frame.setAttribute("aria-valuetext", text);
    replaceChildren(readout, text);
  };
  const open = () => groups[at] && goTo(dearest(groups[at] as Group));
  const columnAt = (event: MouseEvent) => {
    const box = picture.getBoundingClientRect();
    return Math.floor(((event.clientX - box.left) / box.width) * groups.length);
  };
  frame.addEventListener("pointermove", (event) => move(columnAt(event)));
  frame.addEventListener("click", (event) => {
    move(columnAt(event));
    open();
  });
  frame.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (step !== undefined) move(at + step);
    else if (event.key === "Home") move(0);
    else if (event.key === "End") move(groups.length - 1);
    else if (event.key === "Enter") open();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  const rest = () => replaceChildren(readout, legend(mostTokens, hasCost ? mostCost : 0));
  frame.addEventListener("pointerleave", () => {
    cursor.setAttribute("visibility", "hidden");
    rest();
  });
  rest();
  return h("div", {}, frame, readout);
}

function describe({ turns, usage, first }: Group): string {
  const which = turns.length === 1 ? `Turn ${first}` : `Turns ${first} to ${first + turns.length - 1}`;
  const parts = KINDS.filter(({ index }) => usage[index] > 0).map(
    ({ index, label }) => `${shortNumber(usage[index])} ${label}`,
  );
  return `${which}: ${count(tokenSum(usage), "token")} (${parts.join(", ")}), ${money(usage[4])}`;
}

function legend(mostTokens: number, mostCost: number): Child {
  return [
    KINDS.toReversed().map(({ name, label }) => h("span", { class: `key k-${name}` }, label)),
    mostCost > 0 && h("span", { class: "key k-cost" }, "cost"),
    h("span", { class: "most" }, `highest ${shortNumber(mostTokens)}${mostCost > 0 ? `, ${money(mostCost)}` : ""}`),
  ];
}

/** A column may combine several turns; it links to the most expensive one. */
function dearest({ turns }: Group): number {
  const weight = (usage: UsageRow) => usage[4] * 1e9 + tokenSum(usage);
  return turns.reduce((best, turn) => (weight(turn.usage) > weight(best.usage) ? turn : best)).row;
}
