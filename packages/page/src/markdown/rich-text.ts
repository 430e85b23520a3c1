import { codeBlock } from "../code/code-view.ts";
import { moreButton } from "../code/more-button.ts";
import { h, replaceChildren } from "../dom.ts";
import { type ListItem, type MarkdownBlock, parseMarkdown, parsePlain, type Table } from "./blocks.ts";
import type { Inline, Link } from "./inline.ts";

/** More than anyone reads at once. A single line may have a million characters. */
const LONGEST = 16_000;
const GROWTH = 10;

export function markdown(text: string): HTMLElement {
  return prose(text, parseMarkdown, "prose");
}

export function plainProse(text: string): HTMLElement {
  return prose(text, parsePlain, "prose written");
}

/** Shows long content in part, and the rest on request. */
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
    // Text with its own direction does not affect its surroundings.
    if (first instanceof Element) first.removeAttribute("dir");
    return h("blockquote", { dir: "auto" }, first, rest);
  },
  list: ({ start, isLoose, items }) => {
    const attributes = { dir: "auto", class: isLoose ? "loose" : undefined };
    return start === undefined
      ? h("ul", attributes, items.map(item))
      : h("ol", { ...attributes, start: start === 1 ? undefined : start }, items.map(item));
  },
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
  // A paragraph element would set a short item apart from its neighbours.
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
    if (node.type === "link") return link(node);
    return h(node.type, {}, inline(node.children));
  });
}

function link({ address, href, children }: Link): HTMLElement {
  // A forbidden link is shown as its text and its address.
  if (href === undefined) return h("em", {}, inline(children), children[0] !== address && ` (${address})`);
  const isHere = href.startsWith("#");
  const away = isHere ? {} : { target: "_blank", rel: "noopener noreferrer nofollow" };
  // The text of a link may show a different address from its target.
  return h("a", { href, title: href, ...away }, inline(children));
}
