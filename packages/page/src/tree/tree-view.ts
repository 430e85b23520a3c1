import { h, replaceChildren } from "../dom.ts";
import type { Row } from "../page-data.ts";
import { NAMES } from "./entry-names.ts";
import type { TreeLine } from "./tree-model.ts";

const LINE_HEIGHT = 30;
const BEYOND = 8;
const DEEPEST_INDENT = 10;

const ICONS: Record<Row["kind"], string> = {
  user: "›",
  assistant: "·",
  tool: "⚙",
  shell: "$",
  note: "✎",
  system: "§",
  files: "≡",
  compaction: "⇣",
  branch: "↳",
  subagent: "⑂",
  change: "↻",
  data: "{}",
};

export interface TreeEvents {
  select(place: number): void;
  toggle(place: number): void;
}

export interface TreePanel {
  readonly element: HTMLElement;
  show(lines: readonly TreeLine[], rows: readonly Row[]): void;
  /** The selected line, and the lines of the shown conversation. */
  mark(place: number | undefined, onPath: ReadonlySet<number>): void;
  focus(): void;
}

/** The lines that fit into the panel, whatever their number. One line has the focus; the arrow keys move it. */
export function createTree(events: TreeEvents): TreePanel {
  const space = h("div", { class: "tree-space", role: "none" });
  const element = h("div", { class: "tree", role: "tree", tabindex: 0, "aria-label": "Entries of the session" }, space);
  let lines: readonly TreeLine[] = [];
  let rows: readonly Row[] = [];
  let onPath: ReadonlySet<number> = new Set();
  let selected: number | undefined;
  let active = 0;

  function draw(): void {
    const first = Math.max(0, Math.floor(element.scrollTop / LINE_HEIGHT) - BEYOND);
    const count = Math.ceil((element.clientHeight || 800) / LINE_HEIGHT) + 2 * BEYOND;
    space.style.height = `${lines.length * LINE_HEIGHT}px`;
    replaceChildren(
      space,
      lines.slice(first, first + count).map((line, index) => lineElement(line, first + index)),
    );
    element.setAttribute("aria-activedescendant", `tree-line-${active}`);
  }

  function lineElement(line: TreeLine, at: number): HTMLElement {
    const row = rows[line.place] as Row;
    const node = h(
      "div",
      {
        id: `tree-line-${at}`,
        role: "treeitem",
        class: `tree-line of-${row.kind}${onPath.has(line.place) ? " on-path" : ""}${at === active ? " active" : ""}${row.state ? ` is-${row.state}` : ""}`,
        "aria-level": line.depth + 1,
        "aria-posinset": at + 1,
        "aria-setsize": lines.length,
        "aria-selected": line.place === selected ? "true" : "false",
        "aria-expanded": line.isFork ? String(line.isOpen) : undefined,
        "aria-label": spokenLine(row, onPath.has(line.place)),
        title: row.title,
        onclick: (event: MouseEvent) => {
          active = at;
          const isTwisty = event.target instanceof Element && event.target.closest(".twisty");
          if (isTwisty) events.toggle(line.place);
          else events.select(line.place);
        },
      },
      line.isFork && h("span", { class: "twisty", "aria-hidden": "true" }, line.isOpen ? "▾" : "▸"),
      h("span", { class: "kind", "aria-hidden": "true" }, row.state && row.state !== "length" ? "!" : ICONS[row.kind]),
      row.label !== undefined && h("span", { class: "label" }, row.label),
      h("span", { class: "tree-title" }, row.tool ? h("b", {}, `${row.tool} `) : undefined, row.title),
    );
    node.style.top = `${at * LINE_HEIGHT}px`;
    node.style.paddingLeft = `${10 + 14 * Math.min(line.depth, DEEPEST_INDENT)}px`;
    return node;
  }

  function moveTo(at: number): void {
    active = Math.max(0, Math.min(lines.length - 1, at));
    showActive();
    draw();
  }

  function showActive(): void {
    const top = active * LINE_HEIGHT;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + LINE_HEIGHT > element.scrollTop + element.clientHeight)
      element.scrollTop = top + LINE_HEIGHT - element.clientHeight;
  }

  const keys: Record<string, () => void> = {
    ArrowDown: () => moveTo(active + 1),
    ArrowUp: () => moveTo(active - 1),
    PageDown: () => moveTo(active + 15),
    PageUp: () => moveTo(active - 15),
    Home: () => moveTo(0),
    End: () => moveTo(lines.length - 1),
    Enter: () => lines[active] && events.select((lines[active] as TreeLine).place),
    " ": () => lines[active] && events.select((lines[active] as TreeLine).place),
    ArrowRight: () => toggleIf(false),
    ArrowLeft: () => toggleIf(true),
  };
  function toggleIf(isOpen: boolean): void {
    const line = lines[active];
    if (line?.isFork && line.isOpen === isOpen) events.toggle(line.place);
  }
  element.addEventListener("keydown", (event) => {
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  });
  element.addEventListener("scroll", draw, { passive: true });
  new ResizeObserver(draw).observe(element);

  return {
    element,
    show(nextLines, nextRows) {
      [lines, rows] = [nextLines, nextRows];
      active = Math.max(0, Math.min(active, lines.length - 1));
      draw();
    },
    mark(place, path) {
      onPath = path;
      if (place !== selected) {
        selected = place;
        const at = lines.findIndex((line) => line.place === place);
        if (at !== -1) {
          active = at;
          showActive();
        }
      }
      draw();
    },
    focus: () => element.focus(),
  };
}

/** Text of the line for screen readers. */
function spokenLine(row: Row, isOnPath: boolean): string {
  const what = `${row.tool ?? NAMES[row.kind]}: ${row.title}`;
  return [
    what,
    row.label !== undefined && `label ${row.label}`,
    row.state && STATES[row.state],
    !isOnPath && "on another branch",
  ]
    .filter(Boolean)
    .join(", ");
}

const STATES: Record<NonNullable<Row["state"]>, string> = { error: "failed", aborted: "aborted", length: "cut" };
