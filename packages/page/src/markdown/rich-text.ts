import { codeBlock } from "../code/code-view.ts";
import { moreButton } from "../code/more-button.ts";
import { h, replaceChildren } from "../dom.ts";
import { type ListItem, type MarkdownBlock, parseMarkdown, parsePlain } from "./blocks.ts";
import type { Inline } from "./inline.ts";
import type { Table } from "./table.ts";

/** More than is read in one go; a text may be one line of a million characters. */
const LONGEST = 16_000;
const GROWTH = 10;

export function markdown(text: string): HTMLElement {
  return prose(text, parseMarkdown, "prose");
}

export function plainProse(text: string): HTMLElement {
  return prose(text, parsePlain, "prose written");
}

/** What is long is shown in part, and the rest on request. */
function prose(text: string, parse: (text: string) => MarkdownBlock[], className: string): HTMLElement {
  const element = h("div", { class: className });
  const show = (most: number) => {
    const end = text.length <= most ? text.length : text.lastIndexOf("\n", most) + 1 || most;
    const hidden = text.length - end;
    const more = moreButton(`${hidden.toLocaleString()} more characters`, () => show(most * GROWTH));
    replaceChildren(element, parse(text.slice(0, end)).map(blockElement), hidden > 0 && more);
  };
  show(LONGEST);
  return element;
}

const MAKERS: { [T in MarkdownBlock["type"]]: (block: Extract<MarkdownBlock, { type: T }>) => Node } = {
  heading: ({ level, content }) => {
    // The page has its own headings above these.
    const attributes = { role: "heading", "aria-level": Math.min(level + 3, 9), class: `heading h${level}` };
    const element = h("div", { ...attributes, dir: "auto" });
    element.append(...inline(content));
    return element;
  },
  paragraph: ({ content }) => h("p", { dir: "auto" }, inline(content)),
  code: ({ language, text }) => codeBlock(text, { language }),
  quote: ({ children }) => {
    const [first, ...rest] = children.map(blockElement);
    // A text that has a direction of its own does not count for what is around it.
    if (first instanceof Element) first.removeAttribute("dir");
    return h("blockquote", { dir: "auto" }, first, rest);
  },
  list: ({ start, items }) =>
    start === undefined
      ? h("ul", { dir: "auto" }, items.map(item))
      : h("ol", { dir: "auto", start: start === 1 ? undefined : start }, items.map(item)),
  table,
  rule: () => h("hr"),
};

export function blockElement(block: MarkdownBlock): Node {
  return (MAKERS[block.type] as (block: MarkdownBlock) => Node)(block);
}

function item({ isDone, children }: ListItem): Node {
  const [first, ...rest] = children;
  const box =
    isDone !== undefined &&
    h("span", { class: "box", role: "img", "aria-label": isDone ? "done" : "open" }, isDone ? "☑ " : "☐ ");
  // The paragraph of a short item would set it apart from its neighbours.
  const lead = first?.type === "paragraph" ? inline(first.content) : first ? [blockElement(first)] : [];
  return h("li", isDone === undefined ? {} : { class: "task" }, box, lead, rest.map(blockElement));
}

function table({ aligns, head, rows }: Table): Node {
  const cell = (tag: "th" | "td", content: Inline[], column: number) =>
    h(tag, { class: aligns[column] ? `to-${aligns[column]}` : undefined }, inline(content));
  return h(
    "div",
    { class: "table-frame", dir: "auto", tabindex: 0, role: "region", "aria-label": "Table" },
    h(
      "table",
      {},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          head.map((content, column) => cell("th", content, column)),
        ),
      ),
      h(
        "tbody",
        {},
        rows.map((row) =>
          h(
            "tr",
            {},
            row.map((content, column) => cell("td", content, column)),
          ),
        ),
      ),
    ),
  );
}

function inline(nodes: readonly Inline[]): Node[] {
  return nodes.map((node) => {
    if (typeof node === "string") return h("span", {}, node).firstChild ?? document.createTextNode("");
    if (node.type === "code") return h("code", {}, node.text);
    if (node.type === "break") return h("br");
    if (node.type === "link") return link(node.href, inline(node.children));
    return h(node.type, {}, inline(node.children));
  });
}

function link(href: string, children: Node[]): HTMLElement {
  const isHere = href.startsWith("#");
  const away = isHere ? {} : { target: "_blank", rel: "noopener noreferrer nofollow" };
  // What a link says may be another address than the one it leads to.
  return h("a", { href, title: href, ...away }, children);
}
