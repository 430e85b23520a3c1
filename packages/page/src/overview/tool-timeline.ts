import { h, replaceChildren, svg } from "../dom.ts";
import { count, duration } from "../format.ts";
import { compressTimes, type Figures, type TimedCall } from "./figures.ts";

const MOST_LANES = 7;
const [WIDTH, LANE] = [600, 20];
const LONGEST_PAUSE_MS = 20_000;
/** Minimum width that can be seen and clicked. */
const NARROWEST = 2.5;

interface Bar {
  call: TimedCall;
  x: number;
  width: number;
}

/** One line per tool, one bar per call; pauses are shortened. The arrow keys go from bar to bar, Enter to its entry. */
export function toolTimeline(figures: Figures, goTo: (row: number) => void): HTMLElement {
  const names = laneNames(figures);
  const { starts, total } = compressTimes(figures.calls, LONGEST_PAUSE_MS);
  const scale = WIDTH / Math.max(1, total);
  const lanes = names.map((name) => lane(name, figures.calls, starts, scale, names));
  const bars = lanes.flat().sort((a, b) => a.x - b.x);
  const readout = h("p", { class: "readout", "aria-hidden": "true" }, summary(figures));
  const rects = new Map<Bar, SVGElement>();
  const pictures = lanes.map((laneBars, at) => {
    for (const bar of laneBars) {
      rects.set(
        bar,
        svg("rect", {
          class: bar.call.isError ? "call bad" : "call",
          x: bar.x,
          y: 3,
          width: bar.width,
          height: LANE - 6,
          rx: 1.5,
          "data-row": bar.call.row,
        }),
      );
    }
    return h(
      "div",
      { class: "lane" },
      h("span", { class: "lane-name" }, names[at]),
      svg(
        "svg",
        { viewBox: `0 0 ${WIDTH} ${LANE}`, preserveAspectRatio: "none", "aria-hidden": "true" },
        laneBars.map((bar) => rects.get(bar)),
      ),
    );
  });
  const frame = h(
    "div",
    {
      class: "chart timeline",
      tabindex: 0,
      role: "slider",
      "aria-label": "Tool calls by time",
      "aria-valuemin": 1,
      "aria-valuemax": bars.length,
      "aria-valuenow": 1,
      "aria-valuetext": "Arrow keys go from one to the next, Enter to its entry",
    },
    pictures,
  );
  let at = -1;
  const move = (next: number) => {
    const previous = bars[at];
    if (previous) rects.get(previous)?.classList.remove("at");
    at = Math.max(0, Math.min(bars.length - 1, next));
    const bar = bars[at];
    if (!bar) return;
    rects.get(bar)?.classList.add("at");
    const text = `${bar.call.tool}: ${duration(bar.call.ms)}${bar.call.isError ? ", failed" : ""}`;
    frame.setAttribute("aria-valuenow", String(at + 1));
    frame.setAttribute("aria-valuetext", text);
    replaceChildren(readout, text);
  };
  const barAt = (event: Event) => {
    const row = event.target instanceof SVGElement ? event.target.dataset.row : undefined;
    return row === undefined ? -1 : bars.findIndex(({ call }) => String(call.row) === row);
  };
  frame.addEventListener("pointermove", (event) => {
    const found = barAt(event);
    if (found !== -1) move(found);
  });
  frame.addEventListener("click", (event) => {
    const bar = bars[barAt(event)];
    if (bar) goTo(bar.call.row);
  });
  frame.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const bar = bars[at];
    if (step !== undefined) move(at + step);
    else if (event.key === "Enter" && bar) goTo(bar.call.row);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return h("div", {}, frame, readout);
}

const OTHERS = "others";

function laneNames({ tools }: Figures): string[] {
  const names = tools.map(({ name }) => name);
  return names.length <= MOST_LANES ? names : [...names.slice(0, MOST_LANES - 1), OTHERS];
}

/** Shows the longest of the calls that would overlap. */
function lane(
  name: string,
  calls: readonly TimedCall[],
  starts: readonly number[],
  scale: number,
  names: readonly string[],
): Bar[] {
  const bars: Bar[] = [];
  for (const [index, call] of calls.entries()) {
    const isHere = call.tool === name || (name === OTHERS && !names.includes(call.tool));
    if (!isHere) continue;
    const width = Math.max(NARROWEST, call.ms * scale);
    const bar = { call, x: Math.min(WIDTH - width, (starts[index] as number) * scale), width };
    const last = bars.at(-1);
    const isHidden = last && bar.x < last.x + NARROWEST && bar.x + bar.width <= last.x + last.width + NARROWEST;
    if (!isHidden) bars.push(bar);
    else if (call.ms > last.call.ms) bars[bars.length - 1] = bar;
  }
  return bars;
}

function summary({ calls, toolMs, tools }: Figures): string {
  const [slowest] = tools;
  return `${count(calls.length, "call")}, ${duration(toolMs)} in all${slowest ? `, most of it in ${slowest.name}` : ""}`;
}
