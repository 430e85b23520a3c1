import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type MarkdownBlock, parseMarkdown, parsePlain } from "../../src/markdown/blocks.ts";
import { type Inline, parseInline } from "../../src/markdown/inline.ts";

describe("words in a line", () => {
  const em = (...children: Inline[]): Inline => ({ type: "em", children });
  const strong = (...children: Inline[]): Inline => ({ type: "strong", children });
  const code = (text: string): Inline => ({ type: "code", text });
  const link = (href: string, ...children: Inline[]): Inline => ({ type: "link", href, children });
  const cases: [string, Inline[]][] = [
    ["a *b* **c** _d_ ~~e~~", ["a ", em("b"), " ", strong("c"), " ", em("d"), " ", { type: "del", children: ["e"] }]],
    ["**a *b* c**", [strong("a ", em("b"), " c")]],
    ["snake_case_name and 2*3*4", ["snake_case_name and 2", em("3"), "4"]],
    ["a * b * c", ["a ", "*", " b ", "*", " c"]],
    ["`a*b*` ``x`y``", [code("a*b*"), " ", code("x`y")]],
    ["not `closed", ["not `closed"]],
    [String.raw`\*a\*`, ["*a*"]],
    ["[a *b*](https://x.y/z_(1))", [link("https://x.y/z_(1)", "a ", em("b"))]],
    ['[a](<https://x.y/> "t")', [link("https://x.y/", "a")]],
    [
      "see https://x.y/z. And <https://q.r>",
      ["see ", link("https://x.y/z", "https://x.y/z"), ". And ", link("https://q.r/", "https://q.r")],
    ],
    ["![alt](https://x.y/i.png)", [link("https://x.y/i.png", "alt")]],
    ["[x](#entry-1) [m](mailto:a@b.c)", [link("#entry-1", "x"), " ", link("mailto:a@b.c", "m")]],
    ["[x](javascript:alert(1))", [em("x", " (javascript:alert(1))")]],
    ["<script>alert(1)</script>", ["<", "script>alert(1)", "<", "/script>"]],
    ["[not a link] [", ["[", "not a link", "] ", "["]],
    ["a  \nb\nc", ["a  ", { type: "break" }, "b\nc"]],
    ["a\\\nb", ["a", { type: "break" }, "b"]],
    ["***a*** b", [strong(em("a")), " b"]],
    ["***a* b**", [strong(em("a"), " b")]],
    ["a &lt;b&gt; &amp; &#60;i&#x3e; &copy; &x; & c", ["a <b> & <i> &copy; &x; & c"]],
    ["`&lt;`", [code("&lt;")]],
  ];
  test.each(cases)("%s", (text, nodes) => expect(joinTexts(parseInline(text))).toEqual(joinTexts(nodes)));

  test("only links that lead to the web, to mail or into the page", () => {
    const schemes = [
      "javascript:",
      "JaVaScRiPt:",
      " data:",
      "vbscript:",
      "file:",
      "blob:",
      "java\tscript:",
      "\u0001javascript:",
      "//evil.example",
      "/etc/passwd",
      "about:",
    ];
    for (const scheme of schemes) {
      const nodes = JSON.stringify(parseInline(`[x](<${scheme}//alert(1)>) [y](${scheme}alert) <${scheme}x>`));
      expect(nodes).not.toContain('"link"');
    }
  });

  test("plain text keeps its stars", () => {
    expect(parseInline("a *b* `c` https://x.y", { isPlain: true })).toEqual([
      "a *b* ",
      { type: "code", text: "c" },
      " ",
      { type: "link", href: "https://x.y/", children: ["https://x.y"] },
    ]);
  });
});

describe("blocks", () => {
  test("of all kinds", () => {
    const text =
      "# T\n\npara\nmore\n\n- a\n  - b\n- [x] c\n\n3. d\n4. e\n\n> q\n> r\n\n---\n\n```ts\nx\n```\n\n|a|b|\n|-|-:|\n|1|`|`|\n";
    expect(shape(parseMarkdown(text))).toEqual([
      "heading 1: T",
      "paragraph: para\nmore",
      [
        "list",
        [
          ["paragraph: a", ["list", [["paragraph: b"]]]],
          ["done", "paragraph: c"],
        ],
      ],
      ["list 3", [["paragraph: d"], ["paragraph: e"]]],
      ["quote", ["paragraph: q\nr"]],
      "rule",
      "code ts: x",
      "table: a|b / 1||",
    ]);
  });

  test("a fence that is never closed goes to the end, one in a list stays in it", () => {
    expect(shape(parseMarkdown("```\na\n\n# b"))).toEqual(["code : a\n\n# b"]);
    expect(shape(parseMarkdown("1. x\n\n   ```sh\n   ls\n   ```\n2. y"))).toEqual([
      ["list 1", [["paragraph: x", "code sh: ls"], ["paragraph: y"]]],
    ]);
  });

  test("a line under a paragraph makes a heading of it, one under nothing is a rule", () => {
    expect(shape(parseMarkdown("A\nb\n===\nC\n---\n\n---\n"))).toEqual(["heading 1: A\nb", "heading 2: C", "rule"]);
  });

  test("HTML is text", () => {
    expect(shape(parseMarkdown("<img src=x onerror=alert(1)>"))).toEqual(["paragraph: <img src=x onerror=alert(1)>"]);
  });

  test("what people write stays as it is, except code", () => {
    expect(shape(parsePlain("# no heading\n  * kept\n```js\nx\n```\nend"))).toEqual([
      "paragraph: # no heading\n  * kept",
      "code js: x",
      "paragraph: end",
    ]);
  });

  test("nothing is lost and nothing fails, whatever the text", () => {
    const pieces = fc.constantFrom(
      "*",
      "**",
      "_",
      "`",
      "```\n",
      "[",
      "](",
      ")",
      "> ",
      "- ",
      "1. ",
      "\n",
      "\n\n",
      "|",
      "|-|\n",
      "# ",
      "    ",
      "\\",
      "<",
      "http://",
      "~~",
      "word",
      "é",
      "\t",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 60 }), (parts) => {
        const text = parts.join("");
        const words = (value: string) => value.match(/word|é/g)?.length ?? 0;
        // What stands behind the dashes of a table has no column to stand in.
        fc.pre(!text.includes("|"));
        expect(words(JSON.stringify(parseMarkdown(text)).replace(/"language":"[^"]*"/g, ""))).toBeGreaterThanOrEqual(
          words(text.replace(/```[^\n]*/g, "")) - 0,
        );
      }),
    );
  });

  test("hostile texts take no longer than others", () => {
    const size = 100_000;
    for (const part of [
      "*a ",
      "**a",
      "_a_",
      "[",
      "[a](",
      "![",
      "`a``b```",
      "> ",
      "- ",
      "  - ",
      "1. ",
      "|",
      "|-",
      "<http",
      "\\",
      "~~",
      "https://",
      "a*b_c",
      "#",
      "\n>",
      "(",
      "***",
    ]) {
      expect(parseMarkdown(part.repeat(size / part.length))).not.toBeEmpty();
      expect(parseMarkdown(`${part}\n`.repeat(size / (part.length + 1)))).not.toBeEmpty();
    }
  });
});

function joinTexts(nodes: readonly Inline[]): Inline[] {
  const joined: Inline[] = [];
  for (const node of nodes) {
    const last = joined.length - 1;
    if (typeof node === "string" && typeof joined[last] === "string") joined[last] += node;
    else
      joined.push(
        typeof node === "object" && "children" in node ? { ...node, children: joinTexts(node.children) } : node,
      );
  }
  return joined;
}

function inlineText(nodes: readonly Inline[]): string {
  return nodes
    .map((node) => {
      if (typeof node === "string") return node;
      if (node.type === "code") return node.text;
      return node.type === "break" ? "\n" : inlineText(node.children);
    })
    .join("");
}

function shape(blocks: readonly MarkdownBlock[]): unknown[] {
  return blocks.map((block) => {
    if (block.type === "heading") return `heading ${block.level}: ${inlineText(block.content)}`;
    if (block.type === "paragraph") return `paragraph: ${inlineText(block.content)}`;
    if (block.type === "code") return `code ${block.language}: ${block.text}`;
    if (block.type === "quote") return ["quote", shape(block.children)];
    if (block.type === "table")
      return `table: ${[block.head, ...block.rows].map((row) => row.map(inlineText).join("|")).join(" / ")}`;
    if (block.type === "rule") return "rule";
    const name = block.start === undefined ? "list" : `list ${block.start}`;
    return [name, block.items.map(({ isDone, children }) => [...(isDone ? ["done"] : []), ...shape(children)])];
  });
}
