import { describe, expect, test } from "bun:test";
import { tests } from "commonmark-spec";
import { type MarkdownBlock, parseMarkdown } from "../../src/markdown/blocks.ts";
import type { Inline } from "../../src/markdown/inline.ts";

/** The syntax in these sections stays text on the page. */
const HTML_SECTIONS = new Set(["HTML blocks", "Raw HTML"]);

const examples = tests
  .filter(({ section }) => !HTML_SECTIONS.has(section))
  .map((example) => ({
    ...example,
    markdown: example.markdown.replaceAll("→", "\t"),
    html: normalized(example.html.replaceAll("→", "\t")),
  }));

/** Examples that the page renders differently, by reason. */
const EXPECTED: Readonly<Record<string, readonly number[]>> = {
  "HTML is text": [21, 31, 201, 308, 309, 344, 475, 476, 477, 491, 494, 524, 526, 536, 538, 642, 643],
  "addresses are links without brackets too, as on GitHub": [602, 608, 611, 612],
  "an image inside a link is its text": [517, 531],
  "names of rare characters are not known": [25],
  "a last empty line of code is not shown": [318],
  "marked differs": [2, 6, 133, 512, 520, 528, 540],
};

describe("CommonMark", () => {
  test("has the examples without HTML", () => expect(examples.length).toBe(588));

  test("all examples are read as the specification says, except those with a reason", () => {
    const failed = examples.filter(({ markdown, html }) => normalized(render(parseMarkdown(markdown))) !== html);
    const expected = Object.values(EXPECTED).flat();
    expect(failed.map(({ number }) => number)).toEqual(expected.sort((a, b) => a - b));
  });
});

function render(blocks: readonly MarkdownBlock[], isTight = false): string {
  return blocks.map((block) => blockHtml(block, isTight)).join("\n");
}

function blockHtml(block: MarkdownBlock, isTight: boolean): string {
  switch (block.type) {
    case "heading":
      return `<h${block.level}>${inlineHtml(block.content)}</h${block.level}>`;
    case "paragraph":
      return isTight ? inlineHtml(block.content) : `<p>${inlineHtml(block.content)}</p>`;
    case "code": {
      const language = block.language ? ` class="language-${escaped(block.language)}"` : "";
      return `<pre><code${language}>${escaped(block.text)}${block.text ? "\n" : ""}</code></pre>`;
    }
    case "quote":
      return `<blockquote>\n${render(block.children)}\n</blockquote>`;
    case "rule":
      return "<hr />";
    case "table":
      return "<table>";
    case "list": {
      const items = block.items.map(({ children }) => `<li>${render(children, !block.isLoose)}</li>`).join("\n");
      const start = block.start === undefined || block.start === 1 ? "" : ` start="${block.start}"`;
      return block.start === undefined ? `<ul>\n${items}\n</ul>` : `<ol${start}>\n${items}\n</ol>`;
    }
  }
}

function inlineHtml(nodes: readonly Inline[]): string {
  return nodes
    .map((node) => {
      if (typeof node === "string") return escaped(node);
      if (node.type === "code") return `<code>${escaped(node.text)}</code>`;
      if (node.type === "break") return "<br />\n";
      if (node.type === "link") return `<a href="${address(node.address)}">${inlineHtml(node.children)}</a>`;
      const tag = node.type;
      return `<${tag}>${inlineHtml(node.children)}</${tag}>`;
    })
    .join("");
}

function address(written: string): string {
  return escaped(encodeURI(written).replaceAll("%25", "%"));
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/** Omits titles, which the page uses to show where a link leads, and represents images as links, like the page. */
function normalized(html: string): string {
  return html
    .replace(/<img src="([^"]*)" alt="([^"]*)"[^>]*>/g, '<a href="$1">$2</a>')
    .replace(/ title="[^"]*"/g, "")
    .replace(/\n*(<\/?(?:li|ul|ol|blockquote|p|h\d|pre|hr)\b[^>]*>)\n*/g, "$1")
    .trim();
}
