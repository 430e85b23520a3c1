import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type MarkdownBlock, parseMarkdown, parsePlain } from "../../src/markdown/blocks.ts";
import { type Inline, type Link, parsePlainLine } from "../../src/markdown/inline.ts";

describe("words in a line", () => {
  const em = (...children: Inline[]): Inline => ({ type: "em", children });
  const strong = (...children: Inline[]): Inline => ({ type: "strong", children });
  const code = (text: string): Inline => ({ type: "code", text });
  const link = (address: string, ...children: Inline[]): Link => ({
    type: "link",
    address,
    children,
    href: address.startsWith("javascript:") ? undefined : address,
  });
  const cases: [string, Inline[]][] = [
    ["a *b* **c** _d_ ~~e~~", ["a ", em("b"), " ", strong("c"), " ", em("d"), " ", { type: "del", children: ["e"] }]],
    ["**a *b* c**", [strong("a ", em("b"), " c")]],
    ["snake_case_name and 2*3*4", ["snake_case_name and 2", em("3"), "4"]],
    ["a * b * c", ["a * b * c"]],
    ["`a*b*` ``x`y``", [code("a*b*"), " ", code("x`y")]],
    ["not `closed", ["not `closed"]],
    [String.raw`\*a\*`, ["*a*"]],
    ["[a *b*](https://x.y/z_(1))", [link("https://x.y/z_(1)", "a ", em("b"))]],
    ['[a](<https://x.y/> "t")', [link("https://x.y/", "a")]],
    [
      "see https://x.y/z. And <https://q.r>",
      [
        "see ",
        link("https://x.y/z", "https://x.y/z"),
        ". And ",
        { ...link("https://q.r", "https://q.r"), href: "https://q.r/" },
      ],
    ],
    ["![alt](https://x.y/i.png)", [link("https://x.y/i.png", "alt")]],
    ["[x](#entry-1) [m](mailto:a@b.c)", [link("#entry-1", "x"), " ", link("mailto:a@b.c", "m")]],
    ["[x](javascript:alert(1))", [link("javascript:alert(1)", "x")]],
    ["<script>alert(1)</script>", ["<script>alert(1)</script>"]],
    ["[not a link] [", ["[not a link] ["]],
    ["a  \nb\nc", ["a", { type: "break" }, "b\nc"]],
    ["a\\\nb", ["a", { type: "break" }, "b"]],
    ["***a*** b", [em(strong("a")), " b"]],
    ["***a* b**", [strong(em("a"), " b")]],
    ["a &lt;b&gt; &amp; &#60;i&#x3e; &copy; &x; & c", ["a <b> & <i> © &x; & c"]],
    ["`&lt;`", [code("&lt;")]],
    ["[a][1] [b]\n\n[1]: https://x.y/\n[B]: #c", [link("https://x.y/", "a"), " ", link("#c", "b")]],
    ["[![alt](https://x.y/i.png)](https://x.y/)", [link("https://x.y/", "alt")]],
  ];
  test.each(cases)("%s", (text, nodes) => expect(lineOf(text)).toEqual(nodes));

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
      const text = `[x](<${scheme}//alert(1)>) [y](${scheme}alert) <${scheme}x> [z]\n\n[z]: <${scheme}//alert>`;
      expect(JSON.stringify(parseMarkdown(text))).not.toContain('"href"');
    }
  });

  test("plain text keeps its stars", () => {
    expect(parsePlainLine("a *b* `c` https://x.y")).toEqual([
      "a *b* ",
      { type: "code", text: "c" },
      " ",
      { type: "link", address: "https://x.y", href: "https://x.y/", children: ["https://x.y"] },
    ]);
  });
});

describe("blocks", () => {
  test("of all kinds", () => {
    const text =
      "# T\n\npara\nmore\n\n- a\n  - b\n- [x] c\n\n3. d\n4. e\n\n> q\n> r\n\n---\n\n```ts\nx\n```\n\n|a|b|\n|-|-:|\n|1|`\\|`|\n";
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
        // Cells without a column, and what follows the name of a language after a fence, are not shown.
        fc.pre(!text.includes("|"));
        const shown = text.replace(/(?:```|~~~)[^\n]*/g, "");
        expect(words(JSON.stringify(parseMarkdown(text)))).toBeGreaterThanOrEqual(words(shown));
      }),
    );
  });

  test("4,000 quotes in each other are shown to the tenth, the rest as text", () => {
    let depth = 0;
    let [block] = parseMarkdown(`${"> ".repeat(4_000)}end`);
    for (; block?.type === "quote"; [block] = block.children) depth += 1;
    expect(depth).toBe(10);
    expect(block?.type === "paragraph" && inlineText(block.content).endsWith("> end")).toBe(true);
  });

  test("a line after deeply nested quotes and lists is shown, wherever it belongs", () => {
    const marks = ["> ", "- ", "1. ", "> - "];
    for (const mark of marks)
      for (let depth = 1; depth < 30; depth += 1)
        for (const inner of ["", "a", "```", "- a", "> a"]) {
          const text = `${mark.repeat(depth)}${inner}\nlast`;
          expect([text, JSON.stringify(parseMarkdown(text))]).toEqual([text, expect.stringContaining("last")]);
        }
  });

  test("emphasis in a long paragraph does not depend on how long it is", () => {
    const [block] = parseMarkdown("A sentence with **bold words** and `code` in it. ".repeat(300));
    const content = block?.type === "paragraph" ? block.content : [];
    expect(content.filter((node) => typeof node === "object" && node.type === "strong").length).toBe(300);
  });

  test("hostile input takes no longer than other input", () => {
    const size = 8_000;
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
      "a|b\n:-\n",
      "a|b\n:-|-|-\n",
      "|-\na",
      "> > a\nb\n",
      "> - a\nb\n",
      "[[a](b)](c)",
      "[a]: ",
      "*_a ",
    ]) {
      expect(parseMarkdown(part.repeat(size / part.length))).toBeArray();
      expect(parsePlain(part.repeat(size / part.length))).toBeArray();
      expect(parseMarkdown(`${part}\n`.repeat(size / (part.length + 1)))).toBeArray();
    }
  });
});

function lineOf(text: string): Inline[] {
  const [block] = parseMarkdown(text);
  return block?.type === "paragraph" ? block.content : [];
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

describe("formulas and footnotes", () => {
  const paragraph = (...content: Inline[]): MarkdownBlock => ({ type: "paragraph", content });
  const math = (text: string): Inline => ({ type: "code", text });
  const cases: [string, MarkdownBlock[]][] = [
    [
      String.raw`Both $a_1 * b_2$ and \(c^{\,2}\).`,
      [paragraph("Both ", math("a_1 * b_2"), " and ", math(String.raw`c^{\,2}`), ".")],
    ],
    ["It costs $5 and $6, or $7/$8.", [paragraph("It costs $5 and $6, or $7/$8.")]],
    ["Set $HOME and $PATH.", [paragraph("Set $HOME and $PATH.")]],
    ["Inline $$x = 1$$ too.", [paragraph("Inline ", math("x = 1"), " too.")]],
    [
      "$$\n\\int_0^1 x\\,dx\n= 1\n$$\nAfter",
      [{ type: "code", language: "latex", text: "\\int_0^1 x\\,dx\n= 1" }, paragraph("After")],
    ],
    ["\\[\na_1\n\\]", [{ type: "code", language: "latex", text: "a_1" }]],
    ["$$\nnever closed", [paragraph("$$\nnever closed")]],
    [
      "Said[^1] and meant[^why].\n\n[^1]: The *first*.\n[^why]: Because\n  it is so.\n\nMore",
      [
        paragraph("Said¹ and meant[why]."),
        paragraph("¹ The ", { type: "em", children: ["first"] }, "."),
        paragraph("[why] Because\nit is so."),
        paragraph("More"),
      ],
    ],
    ["a[^12] b", [paragraph("a¹² b")]],
    ["`$a$` and `[^1]`", [paragraph(math("$a$"), " and ", math("[^1]"))]],
  ];
  test.each(cases)("%j", (text, blocks) => expect(parseMarkdown(text)).toEqual(blocks));

  test("take time in proportion to the text", () => {
    // The runner's time limit stops anything that grows faster.
    for (const piece of ["$", "$a ", "$$\n", "\\(", "\\[\n", "[^a", "[^a]: b\n", "$$a$"])
      expect(parseMarkdown(piece.repeat(20_000)).length).toBeGreaterThan(0);
  });
});
