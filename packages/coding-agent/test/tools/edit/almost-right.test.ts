import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { applyEdits } from "../../../src/tools/edit/apply-edits.ts";
import { decodeFile } from "../../../src/tools/edit/file-text.ts";

function edited(file: string, oldText: string, newText: string, path = "a.ts") {
  return applyEdits(decodeFile(Buffer.from(file))!, [{ oldText, newText }], path);
}

function apply(file: string, oldText: string, newText: string, path = "a.ts"): string {
  return edited(file, oldText, newText, path).text;
}

function problem(file: string, oldText: string, newText: string): string {
  try {
    return `no problem: ${apply(file, oldText, newText)}`;
  } catch (error) {
    return (error as Error).message;
  }
}

describe("reports how the text matched", () => {
  test.each([
    ["    a();\n    b();\n", "a();\nb();", "a();\nc();", "matched after indenting by 4"],
    ["a();\nb();\n", "  a();\n  b();", "  a();\n  c();", "matched after unindenting by 2"],
    [
      "\tif x {\n\t\ta()\n\t}\n",
      "    if x {\n        a()\n    }",
      "    if x {\n        b()\n    }",
      "matched with tabs for spaces",
    ],
    ["say “a” – b\n", 'say "a" - b', 'say "a" - c', "matched ignoring quotes and dashes"],
    ["a\n\nb\n", "a\nb", "a\nc", "matched ignoring empty lines"],
    ["a\nend", "a\nend\n", "b\nend\n", "matched ignoring the newline at the end of the file"],
    ["f(a, b)\n", "f(a,b)", "f(a,c)", "matched ignoring spaces inside lines"],
    ["cafe\u0301\n", "caf\u00e9", "caf\u00e9s", "matched ignoring Unicode forms"],
    ["one\ntwo\n", "1│one\n2│two", "1│one\n2│three", "matched without its line numbers"],
    ["a();\nb();\n", "a();\\nb();", "a();\\nc();", 'matched with \\n and \\" unescaped'],
    ["if (a < b) {}\n", "if (a &lt; b) {}", "if (a &gt; b) {}", "matched with HTML entities decoded"],
    ["a\r\nb\r\n", "a\nb", "a\nc", "line endings kept (CRLF)"],
    ["a\nb\n", "a\r\nb", "a\r\nc", "line endings kept (LF)"],
  ])("%j", (file, oldText, newText, note) => {
    expect(edited(file, oldText, newText).notes).toEqual([note]);
  });

  test("not at all for an exact match", () => {
    expect(edited("a “b”\n", "“b”", '"c"').notes).toEqual([]);
  });
});

describe("unchanged parts keep their bytes, and the rest is as given", () => {
  test.each([
    [
      "two blanks before a comment, on a line that stays",
      "x = 1  # one\ny = 2\n",
      "x = 1 # one\ny = 2",
      "x = 1 # one\nz = 3 if y else 4",
      "x = 1  # one\nz = 3 if y else 4\n",
    ],
    [
      "two blanks before a comment, on a line that changes",
      "x = 1  # one\n",
      "x = 1 # one",
      "x = 2 # one",
      "x = 2  # one\n",
    ],
    [
      "a new line after aligned columns",
      "a.ts    the first of all\n",
      "a.ts the first of all",
      "a.ts the first of all\nb.ts what comes second",
      "a.ts    the first of all\nb.ts what comes second\n",
    ],
    [
      "blanks at the end of a new line",
      "one();\ntwo();\n",
      "  one();",
      "  zero();  \n  one();",
      "zero();  \none();\ntwo();\n",
    ],
    [
      "blanks in a template literal",
      "const a = `\nx\ny\n`;\n",
      "x \ny",
      "x \nnew  \ny",
      "const a = `\nx\nnew  \ny\n`;\n",
    ],
  ])("%s", (_, file, oldText, newText, expected) => {
    expect(apply(file, oldText, newText)).toBe(expected);
  });

  test("names invisible characters", () => {
    const { text, notes } = edited("a\nfoo(\u00a0x)\n", "foo( x)", "foo( y)");
    expect(text).toBe("a\nfoo(\u00a0y)\n");
    expect(notes).toEqual(["matched ignoring the kind of space (line 2 has U+00A0)"]);
  });

  test("a placeholder in the new text is refused with the lines it would replace", () => {
    const refused = problem("a();\nb();\nc();\n", "a();\nb();", "a();\n// ... rest of the code");
    expect(refused).toEndWith("It would replace lines 1-2:\na();\nb();");
  });

  test.each([
    ["one line", "a();\n...\nc();", "The placeholder stands for line 2:\n  b();"],
    [
      "several lines, up to the next placeholder",
      "a();\n...\nd();\n// ... rest\nf();",
      "The placeholder stands for lines 2-3:\n  b();\nc();",
    ],
    ["no line", "a();\n...\n  b();", "around the parts that stay."],
    ["an unknown end", "a();\n...\nz();", "around the parts that stay."],
    ["an ambiguous end", "a();\n...\nend", "around the parts that stay."],
    ["an ambiguous beginning", "end\n...\nz();", "around the parts that stay."],
  ])("a placeholder in the old text is refused with the lines it replaces: %s", (_name, oldText, end) => {
    const file = "a();\n  b();\nc();\nd();\ne();\nend\nf();\nend\n";
    expect(problem(file, oldText, "x")).toEndWith(end);
  });
});

describe("the new text", () => {
  test.each([
    [
      "gets the file's quotes where the old text lacks them",
      "x = “a” + ‘b’\n",
      "x = \"a\" + 'b'",
      "x = \"c\" + 'b'",
      "x = “c” + ‘b’\n",
    ],
    [
      "loses curly quotes that the file does not have",
      'log("a", b);\n',
      "log(“a”, b);",
      "log(“c”, b);",
      'log("c", b);\n',
    ],
    ["keeps curly quotes of its own", "  a();\n  b();\n", "a();\nb();", "a();\nb(“c”);", "  a();\n  b(“c”);\n"],
    [
      "of code does not get the quotes of a comment",
      '// the “old” way\nrun("a");\nstop("b");\n',
      '// the "old" way\nrun("a");',
      '// the "old" way\nrun("a");\nwait("c");',
      '// the “old” way\nrun("a");\nwait("c");\nstop("b");\n',
    ],
    [
      "keeps lines between changes as the file has them",
      "a();  \nb(“x”);\t\nc();\n",
      'a();\nb("x");\nc();\n',
      'a(1);\nb("x");\nc(1);\n',
      "a(1);\nb(“x”);\t\nc(1);\n",
    ],
    [
      "is indented in the file's steps",
      "if a:\n    if b:\n        c()\n",
      "if a:\n  if b:\n    c()",
      "if a:\n  if b:\n    if d:\n      c()",
      "if a:\n    if b:\n        if d:\n            c()\n",
    ],
    [
      "that is indented as the file is stays so",
      "class A:\n    def f(self):\n        return 1\n",
      "def f(self):\n    return 1",
      "    def f(self):\n        return 2",
      "class A:\n    def f(self):\n        return 2\n",
    ],
    [
      "that wraps a block keeps its levels",
      "def f():\n    a()\n    b()\n",
      "a()\nb()",
      "if x:\n    a()\n    b()",
      "def f():\n    if x:\n        a()\n        b()\n",
    ],
    ["keeps the missing newline at the end", "a\nb", "a\nb\n", "a\nc\n", "a\nc"],
    ["removes whole lines", "a\n    b(“x”)\nc\n", '  b("x")\n', "", "a\nc\n"],
    [
      "removes its line alone where empty lines around it are not the file's",
      "a\nb\n\nc\n",
      "\n\nb\n\n\n",
      "",
      "a\n\nc\n",
    ],
    ["removes the last line with the break before it", "a\n  b“", ' b"\n', "", "a"],
    ["within a line", "f(“a”, 1) + g()\n", 'f("a", 1)', 'f("a", 2)', "f(“a”, 2) + g()\n"],
    ["keeps spaces that are not to be broken", "about 12\u00a0km\n", "about 12 km", "over 14 km", "over 14\u00a0km\n"],
    [
      "leaves spaces in empty lines beside an insertion",
      "a(“x”)\n  \nb()\n",
      'a("x")\n\nb()',
      'a("x")\n\nc()\n\nb()',
      "a(“x”)\n  \nc()\n  \nb()\n",
    ],
    [
      "moves a line as it is",
      "say(“a”);\nb();\nc();\n",
      'say("a");\nb();\nc();',
      'b();\nc();\nsay("a");',
      "b();\nc();\nsay(“a”);\n",
    ],
    ["has no order mark in the middle", "a\nb\n", "\ufeffb", "\ufeffx\nc", "a\nx\nc\n"],
    [
      "keeps entities of the file",
      "<b>a &amp; b</b>\n",
      "&lt;b&gt;a &amp; b&lt;/b&gt;",
      "&lt;i&gt;a &amp; b&lt;/i&gt;",
      "<i>a &amp; b</i>\n",
    ],
    [
      "gets a dash for two hyphens",
      "It was late — too late.\n",
      "It was late -- too late.",
      "It was dark -- too dark.",
      "It was dark — too dark.\n",
    ],
    ["loses numbers with a path", "a\nb\n", "src/x.ts:1:a\nsrc/x.ts:2:b", "src/x.ts:1:a\nsrc/x.ts:2:c", "a\nc\n"],
    [
      "loses curly quotes in any surroundings",
      'f("a", "b");\n',
      "f(“a”, “b”);",
      "f(“a”, [“ c”, ‘d’]);",
      'f("a", [" c", \'d\']);\n',
    ],
    [
      "that has the file's steps is not stretched",
      "f() {\n  return 1;\n}\n",
      "f() {\n return 1;\n}",
      "f() {\n  if (x) {\n    return 2;\n  }\n}",
      "f() {\n  if (x) {\n    return 2;\n  }\n}\n",
    ],
    [
      "has as many empty lines as the file, where the old text has them doubled",
      "a\n\nb\n",
      "a\n\n\nb",
      "a\n\n\nc\n\n\nb",
      "a\n\nc\n\nb\n",
    ],
    ["keeps CR LF", "  a();\r\n  b();\r\n", "a();\nb();", "a();\nx();\nb();", "  a();\r\n  x();\r\n  b();\r\n"],
    [
      "keeps `\\n` of strings",
      'a();\nlog("x\\n");\n',
      'a();\\nlog("x\\n");',
      'b();\\nlog("x\\n");',
      'b();\nlog("x\\n");\n',
    ],
  ])("%s", (_name, file, oldText, newText, expected) => {
    expect(apply(file, oldText, newText)).toBe(expected);
  });
});

describe("refused", () => {
  test.each([
    ["another word", "return second;\n", "return sekond;"],
    ["a word less", "const a = b;\n", "a = b +;"],
    ["a word that is cut", "discount  = 1;\n", "count = 1;"],
    ["words that are joined", "return value;\n", "returnvalue;"],
    ["signs that mean something else together", "a - -b;\n", "a --b;"],
    ["another case", "Foo();\n", "foo();"],
  ])("%s", (_name, file, oldText) => {
    expect(problem(file, oldText, "x")).toContain("was not found");
  });

  test("several places, with lines that distinguish them", () => {
    const file = "function a() {\n  go( 1 );\n}\nfunction b() {\n  go( 1 );\n}\n";
    expect(problem(file, "go(1);", "go(2);")).toBe(
      "oldText has 2 occurrences in a.ts (ignoring spaces inside lines): line 2 (line 1: function a() {), line 5 (line 4: function b() {). Add lines around it until it is unique, or set replaceAll to replace all of them.",
    );
    expect(problem(file, "go( 1 )", "go(2)")).toStartWith(
      "oldText has 2 occurrences in a.ts: line 2 (line 1: function a() {)",
    );
  });

  test("prefers the place with fewer differences", () => {
    expect(apply("  if (a) {\n\tb();\n", "  b();", "  c();")).toBe("  if (a) {\n\tc();\n");
    expect(apply("    x();\n    y();\nq\n\tx();\n\t\ty();\n", "x();\ny();", "x();\nz();")).toBe(
      "    x();\n    z();\nq\n\tx();\n\t\ty();\n",
    );
  });

  test("an uncertain edit, with the lines of the file", () => {
    expect(problem("import a\n\ndef f(): pass\n", "import a\ndef f(): pass", "import a\nimport b\ndef f(): pass")).toBe(
      "oldText matches lines 1-3 of a.ts only ignoring empty lines, and it is unclear how to apply the edit (where the empty lines belong). Nothing was changed. Repeat the edit with the exact text of lines 1-3:\nimport a\n\ndef f(): pass",
    );
  });

  test.each([
    [
      "a new line that is indented far, after either a shift or other steps",
      "list\n  core   everything\n  rest   nothing\n",
      " core   everything\n rest   nothing",
      " core   everything;\n            and more\n rest   nothing",
      "how far to indent a new line",
    ],
    [
      "indentation of which only a line that moved is as in the file",
      "{\n  for (;;) {\n    if (a) {\n      b(\n        c,\n      );\n    }\n  }\n}\n",
      "      for (;;) {\n        if (a) {\n          b(\n            c,\n          );\n        }\n      }\n    }",
      "      b(\n        c,\n      );",
      "how far to indent a new line",
    ],
    [
      "steps that are the file's, while a deeper old line is indented so too",
      "if (a) b();\nfunction f() {\n  for (;;) {\n    c();\n  }\n}\n",
      "if (a) b();\nfunction f() {\n for (;;) {\n  c();\n }\n}\n",
      "if (a)\n  b();\n",
      "how far to indent a new line",
    ],
    [
      "a line that moved in by one of the old text's steps, to where the file has it",
      "function f(p) {\n  write(p, read(p));\n}\nfunction g() {\n  h();\n}\n",
      "function f(p) {\n write(p, read(p));\n",
      "function f(t) {\n return t;\n}\nfunction k(d) {\n for (const p of d)\n  write(p, read(p));\n",
      "how far to indent a new line",
    ],
    [
      "the same with a line that also changed",
      "function f(p) {\n  write(p, read(p).trim());\n}\nfunction g() {\n  h();\n}\n",
      "function f(p) {\n write(p, read(p).trim());\n",
      "function f(t) {\n return t;\n}\nfunction k(d) {\n for (const p of d)\n  write(p, c(read(p)));\n",
      "how far to indent a new line",
    ],
    [
      "an operator without spaces beside something else than before",
      "const a = (b) => c;\n",
      "const a=(b)=>c;",
      'const a=(b)=>["c"];',
      "how to space it",
    ],
    ["the other end of brackets with spaces", 'f(a, "b");\n', 'f( a, "b");', "f( a, b );", "how to space it"],
    [
      "a line break in a regular expression",
      "const a = 1;\nconst b = 2;\n",
      "const a = 1;\\nconst b = 2;\\n",
      "const a = 1;\\nconst c = /x.*\\n/gm;\\nconst b = 2;\\n",
      "the new text can be read in two ways",
    ],
    [
      "a line break in a class of characters",
      "const a = 1;\nconst b = 2;\n",
      "const a = 1;\\nconst b = 2;\\n",
      "const a = 1;\\nconst c = /[^\\n]+x/;\\nconst b = 2;\\n",
      "the new text can be read in two ways",
    ],
  ])("%s", (_name, file, oldText, newText, reason) => {
    expect(problem(file, oldText, newText)).toContain(`unclear how to apply the edit (${reason}`);
  });

  test.each([
    [
      "a comment beside tabs for spaces",
      "f(a) {\n  b();\n}\n",
      "f(a) {\n\tb();\n}\n",
      "/**\n * c\n */\nf(a) {\n\tb(1);\n}\n",
      "/**\n * c\n */\nf(a) {\n  b(1);\n}\n",
    ],
  ])("but not %s", (_name, file, oldText, newText, expected) => {
    expect(apply(file, oldText, newText)).toBe(expected);
  });

  test.each([
    [
      "old text",
      "a();\nb();\nc();\n",
      "a();\n// ... existing code ...\nc();",
      "x",
      "Line 2 of oldText is a placeholder",
    ],
    ["old text, dots only", "a();\nb();\nc();\n", "a();\n...\nc();", "x", "Line 2 of oldText is a placeholder (...)"],
    [
      "new text",
      "a();\nb();\n",
      "a();",
      "a2();\n// rest of the code remains unchanged",
      "Line 2 of newText is a placeholder",
    ],
    ["new text in Python", "a()\nb()\n", "a()", "a2()\n# ... rest of the file", "Line 2 of newText is a placeholder"],
    [
      "new text in HTML",
      "<a>\n",
      "<a>",
      "<b>\n<!-- rest of the content unchanged -->",
      "Line 2 of newText is a placeholder",
    ],
  ])("a placeholder in the %s", (_name, file, oldText, newText, message) => {
    expect(problem(file, oldText, newText)).toStartWith(message);
    expect(problem(file, oldText, newText)).toContain("Write out the whole text");
  });

  test.each([
    ["dots that the file has", "f() {\n  ...\n}\n", "f() {", "g() {\n  ...", "g() {\n  ...\n  ...\n}\n"],
    [
      "an empty body in Python",
      "class A: pass\n",
      "class A: pass",
      "class A:\n    def f(self) -> int:\n        ...",
      "class A:\n    def f(self) -> int:\n        ...\n",
    ],
    ["spreading", "f(a)\n", "f(a)", "f(\n  ...a,\n)", "f(\n  ...a,\n)\n"],
    ["a comment with dots", "a()\n", "a()", "# more to come...\na()", "# more to come...\na()\n"],
    ["a comment on the rest", "a()\n", "a()", "# the rest is in b.py\na()", "# the rest is in b.py\na()\n"],
  ])("but not %s", (_name, file, oldText, newText, expected) => {
    expect(apply(file, oldText, newText, "a.py")).toBe(expected);
  });
});

test("replaceAll changes every place, even in another spelling", () => {
  const all = (file: string, oldText: string, newText: string) =>
    applyEdits(decodeFile(Buffer.from(file))!, [{ oldText, newText, replaceAll: true }], "a.ts");
  expect(all("a b a b a\n", "a", "c")).toMatchObject({ text: "c b c b c\n", replacements: 3 });
  expect(all("  go( 1 );\n\tgo( 1 );\n", "go(1);", "go(2);").text).toBe("  go( 2 );\n\tgo( 2 );\n");
});

describe("properties", () => {
  const word = fc.constantFrom(
    "alpha",
    "beta",
    "x1",
    "return",
    "foo(a, b)",
    "“q”",
    '"q"',
    "a – b",
    "}",
    "{",
    "12\u00a0km",
    "// it’s",
  );
  const line = fc
    .tuple(fc.nat(4), fc.array(word, { minLength: 1, maxLength: 3 }), fc.constantFrom("", "", " ", "\t"))
    .map(([depth, words, trail]) => `${"  ".repeat(depth)}${words.join(" ")}${trail}`);
  const text = fc
    .array(fc.oneof({ weight: 4, arbitrary: line }, fc.constant("")), { maxLength: 10 })
    .map((lines) => lines.map((one) => `${one}\n`).join(""));
  const spoiling = fc.constantFrom<(text: string) => string>(
    (part) => part.replaceAll(/^(?=.)/gm, "    "),
    (part) => part.replaceAll(/[“”]/g, '"').replaceAll("’", "'"),
    (part) => part.replaceAll(/[ \t]+$/gm, ""),
    (part) => part.replaceAll(/\n\n+/g, "\n"),
    (part) => part.replaceAll(", ", ","),
    (part) => part.replaceAll(/^( {2})+/gm, (indent) => "\t".repeat(indent.length / 2)),
    (part) => part.replaceAll("–", "-").replaceAll("\u00a0", " "),
  );

  test("text outside the named lines keeps every byte, and a refusal says so", () => {
    let landed = 0;
    fc.assert(
      fc.property(text, text, text, text, spoiling, spoiling, (before, middle, after, fresh, spoil, also) => {
        const place = `<<one>>\n${middle}<<two>>\n`;
        const file = `${before}${place}${after}`;
        const oldText = also(spoil(place));
        const newText = also(spoil(`<<one>>\n${fresh}<<two>>\n`));
        let result: string;
        try {
          result = apply(file, oldText, newText);
        } catch {
          return;
        }
        landed += 1;
        expect(result.startsWith(`${before}<<one>>`)).toBe(true);
        expect(result.endsWith(`<<two>>\n${after}`)).toBe(true);
      }),
      { numRuns: 2000 },
    );
    expect(landed).toBeGreaterThan(500);
  });

  test("a spoiled text that lands gives the same file as the right one, when a line in its middle changes", () => {
    let landed = 0;
    fc.assert(
      fc.property(text, text, text, text, spoiling, spoiling, (before, above, below, after, spoil, also) => {
        const old = `<<one>>\n${above}value = 1\n${below}<<two>>\n`;
        const fresh = old.replace("value = 1", "value = 2");
        const file = `${before}${old}${after}`;
        let result: string;
        try {
          result = apply(file, also(spoil(old)), also(spoil(fresh)));
        } catch {
          return;
        }
        landed += 1;
        expect(result).toBe(file.replace("value = 1", "value = 2"));
      }),
      { numRuns: 2000 },
    );
    expect(landed).toBeGreaterThan(1500);
  });

  test("text that is in the file once is replaced as given", () => {
    fc.assert(
      fc.property(text, text, text, text, (before, middle, after, fresh) => {
        const old = `<<one>>\n${middle}`;
        expect(apply(`${before}${old}${after}`, old, `${fresh}!`)).toBe(`${before}${fresh}!${after}`);
      }),
      { numRuns: 500 },
    );
  });
});
