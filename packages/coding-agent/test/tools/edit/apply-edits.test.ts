import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { applyEdits, type Edit } from "../../../src/tools/edit/apply-edits.ts";
import type { DecodedFile } from "../../../src/tools/edit/file-text.ts";

function fileOf(text: string, isCharacters = true): DecodedFile {
  const same = (part: string) => part;
  return { text, isCharacters, fromModel: same, toShown: same, toBytes: (whole) => Buffer.from(whole) };
}

function apply(text: string, ...edits: [oldText: string, newText: string][]): string {
  const list: Edit[] = edits.map(([oldText, newText]) => ({ oldText, newText }));
  return applyEdits(fileOf(text), list, "a.ts").text;
}

function problem(text: string, ...edits: [oldText: string, newText: string][]): string {
  try {
    return `no problem: ${apply(text, ...edits)}`;
  } catch (error) {
    return (error as Error).message;
  }
}

describe("exact text", () => {
  test("every edit is matched against the original text, in any order", () => {
    expect(apply("one two three", ["three", "one"], ["one", "two"], ["two", "three"])).toBe("two three one");
  });

  test("edits that touch do not overlap", () => {
    expect(apply("abcd", ["cd", "2"], ["ab", "1"])).toBe("12");
  });

  test("wins over look-alikes elsewhere", () => {
    expect(apply('say “x”\nsay "x"\n', ['say "x"', "y"])).toBe("say “x”\ny\n");
  });

  test("an insertion that repeats its neighbours", () => {
    expect(apply("a\nb\n", ["a\n", "a\na\n"])).toBe("a\na\nb\n");
    expect(apply("a\na\nb\n", ["a\na\nb", "a\nb"])).toBe("a\nb\n");
    expect(apply("a\nb\n", ["a\nb\n", "a\nnew\nb\n"])).toBe("a\nnew\nb\n");
  });
});

describe("line ends", () => {
  test("of the place are used for new lines, all others stay", () => {
    expect(apply("a\r\nb\r\nc\nd\n", ["b\nc", "x\ny\nz"])).toBe("a\r\nx\r\ny\r\nz\nd\n");
  });

  test("named lines that do not change keep theirs in a mixed file", () => {
    expect(apply("a\nb\r\nc\nd\r\n", ["a\nb\nc\nd\n", "a\nb\nC\nd\n"])).toBe("a\nb\r\nC\nd\r\n");
  });

  test("a model may send both kinds", () => {
    expect(apply("a\r\nb\r\n", ["a\r\nb", "x\r\ny"])).toBe("x\r\ny\r\n");
    expect(apply("a\nb\n", ["a\r\nb", "x\r\ny"])).toBe("x\ny\n");
  });

  test("at the end of the text the last one decides, and a lone CR is no line end", () => {
    expect(apply("a\r\nb", ["b", "b\nc"])).toBe("a\r\nb\r\nc");
    expect(apply("a\rb\rc\n", ["b", "x\ny"])).toBe("a\rx\ny\rc\n");
  });
});

describe("look-alikes", () => {
  test.each([
    ["curly quotes", "x = “it’s”;\n", 'x = "it\'s";', "y;\n"],
    ["dashes", "a – b — c\n", "a - b - c", "y;\n"],
    ["odd spaces", "a\u00a0b\u2003c\n", "a b c", "y;\n"],
    ["accents in two parts", "cafe\u0301\n", "caf\u00e9", "y;\n"],
    ["Hangul in parts", "\u1112\u1161\u11ab\n", "\ud55c", "y;\n"],
    ["wide characters", "ｆｏｏ（）\n", "foo()", "y;\n"],
    ["a ligature", "ﬁle…\n", "file...", "y;\n"],
    ["characters that are not shown", "\u001b[1mbold\u200b\n", "[1mbold", "\u001by;\u200b\n"],
  ])("%s", (_name, text, oldText, expected) => {
    expect(apply(text, [oldText, "y;"])).toBe(expected);
  });

  test("trailing spaces of inner lines are removed with them, those after the text stay", () => {
    expect(apply("a  \nb \t\nc\n", ["a\nb", "x"])).toBe("x \t\nc\n");
  });

  test("lines before and after keep their bytes, even if the edit repeats them", () => {
    const text = "“q”  \nkeep – me\nold ’s\nalso – me\t\n“q”\n";
    const edit: [string, string] = ["keep - me\nold 's\nalso - me", "keep - me\nnew\nalso - me"];
    expect(apply(text, edit)).toBe("“q”  \nkeep – me\nnew\nalso – me\t\n“q”\n");
  });

  test("a line that is repeated only to insert next to it stays unchanged", () => {
    expect(apply("say “hi” \nend\n", ['say "hi"', 'say "hi"\nmore'])).toBe("say “hi” \nmore\nend\n");
    expect(apply("a\n“b”\n", ['a\n"b"', 'a\nnew\n"b"'])).toBe("a\nnew\n“b”\n");
  });

  test("a space at the end of the old text does not make a word match the beginning of another", () => {
    expect(problem("foobar – x\n", ["foobar - ", "y"])).toContain("it is unclear");
    expect(problem("foobars – x\n", ["foobar ", "y"])).toContain("was not found");
    expect(apply("a –\nb\n", ["a - ", "y"])).toBe("y\nb\n");
  });

  test("refuses to guess whether lines are to be joined", () => {
    expect(problem("a  \n“b”\n", ['\n"b"', " X"])).toContain(
      "it is unclear how to apply the edit (which spaces around the text",
    );
  });

  test("does not find half of a character", () => {
    expect(problem("ﬁ “x”\n", ['i "x"', "y"])).toContain("was not found");
  });

  test("must be unique as well", () => {
    expect(problem("“x”\n„x”\n", ['"x"', "y"])).toBe(
      "oldText has 2 occurrences in a.ts (ignoring quotes): line 1, line 2. Add lines around it until it is unique, or set replaceAll to replace all of them.",
    );
  });

  test("are not searched for in files that are not valid Unicode", () => {
    expect(() => applyEdits(fileOf("“x”", false), [{ oldText: '"x"', newText: "y" }], "a.ts")).toThrow("was not found");
  });
});

describe("problems", () => {
  test("name the index only when there are several edits", () => {
    expect(problem("a", ["zzz", "b"])).toStartWith("oldText was not found in a.ts.");
    expect(problem("a b", ["a", "b"], ["zzz", "b"])).toStartWith(
      "None of the 2 edits was applied. edits[1].oldText was not found in a.ts.",
    );
    expect(problem("a b", ["a", "x"], ["", "b"])).toStartWith(
      "None of the 2 edits was applied. edits[1].oldText is empty.",
    );
    expect(problem("a b", ["b", "b"], ["a", "b"])).toStartWith(
      "None of the 2 edits was applied. edits[0] changes nothing in a.ts: oldText and newText are the same.",
    );
  });

  test("counts occurrences, including overlapping ones", () => {
    expect(problem("x x x", ["x", "y"])).toStartWith("oldText has 3 occurrences in a.ts: line 1 (3 times).");
    expect(problem("aaa", ["aa", "b"])).toStartWith("oldText has 2 occurrences in a.ts: line 1 (2 times).");
    expect(problem("-".repeat(5_000_000), ["-".repeat(50), "b"])).toStartWith("oldText has 1000 or more occurrences");
  });

  test("both indexes of overlapping edits are named, lower one first", () => {
    expect(problem("abcdef", ["ef", "x"], ["cde", "1"], ["bc", "2"])).toBe(
      "edits[1] and edits[2] overlap in a.ts. Combine them into one edit.",
    );
    expect(problem("abc", ["b", "1"], ["b", "2"])).toContain("edits[0] and edits[1] overlap");
  });

  test("an edit to the text that the file already has changes nothing", () => {
    expect(problem("“x”\n", ['"x"', "“x”"])).toStartWith(
      "The edit changes nothing in a.ts: line 1 would stay as it is.",
    );
  });

  test("the current content is shown as a diff with line numbers", () => {
    const text = "function one() {\n  return 1;\n}\n\nfunction two() {\n  return second;\n}\n";
    expect(problem(text, ["function two() {\n  return sekond;\n}", "x"])).toBe(
      [
        "oldText was not found in a.ts. The most similar text is in lines 5-7 (- oldText, + the file):",
        " 5 function two() {",
        "-   return sekond;",
        "+6   return second;",
        " 7 }",
        "Repeat the edit with the file's text.",
      ].join("\n"),
    );
    expect(problem(text, ["class Entirely { different }", "x"])).toContain("Nothing in the file is similar. Read");
  });

  test("an edit that was made already is recognized", () => {
    expect(problem("a\nb\nnew line\n", ["old line", "new line"])).toContain("The new text is already in line 3");
  });
});

describe("properties", () => {
  const word = fc.string({ unit: fc.constantFrom(..."ab “’–é\u0301\t\u00a0"), maxLength: 6 });
  const linesEndingIn = (...endings: string[]) =>
    fc.array(fc.tuple(word, fc.constantFrom(...endings)), { maxLength: 12 }).map((lines) => lines.flat().join(""));
  const text = linesEndingIn("\n", "\r\n", "\r");
  const modelText = linesEndingIn("\n", "\r\n");

  /** Splits a text into parts; every second one gets unique marks around it and a replacement. */
  const plan = fc.tuple(
    fc.array(text, { minLength: 1, maxLength: 6 }),
    fc.array(modelText, { minLength: 6, maxLength: 6 }),
  );

  test("exact edits give what cutting and joining gives", () => {
    fc.assert(
      fc.property(plan, fc.boolean(), ([parts, replacements], isReversed) => {
        const marked = parts.map((part, index) => `<${index}:${part}:${index}>`);
        const edits = marked.flatMap((mark, index) =>
          index % 2 ? [{ oldText: mark, newText: `[${replacements[index]}]` }] : [],
        );
        if (edits.length === 0) return;
        const result = applyEdits(fileOf(marked.join("")), isReversed ? edits.toReversed() : edits, "a.ts").text;
        const expected = marked.map((mark, index) => (index % 2 ? `[${replacements[index]}]` : mark));
        expect(lf(result)).toBe(lf(expected.join("")));
        // Byte for byte outside the edits.
        let at = 0;
        for (const [index, mark] of marked.entries()) {
          if (index % 2) continue;
          at = result.indexOf(mark, at);
          expect(at).not.toBe(-1);
        }
      }),
      { numRuns: 300 },
    );
  });

  test("a fuzzy edit changes nothing outside of the lines it names", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const original = `${before}“needle” – one\r\nnext  \n${after}`;
        const result = apply(original, ['"needle" - one\nnext', "changed\nnext"]);
        expect(result).toBe(`${before}changed\r\nnext  \n${after}`);
      }),
      { numRuns: 300 },
    );
  });

  test("the changes that are reported make the new text of the old one", () => {
    fc.assert(
      fc.property(text, text, text, (before, middle, after) => {
        const original = `${before}<1>${middle}<2>${after}`;
        const edits = [
          { oldText: "<2>", newText: "two\n2" },
          { oldText: "<1>", newText: "1" },
        ];
        const { before: old, changes, text: result } = applyEdits(fileOf(original), edits, "a.ts");
        const joined = changes
          .toReversed()
          .reduce((sum, { start, end, text }) => sum.slice(0, start) + text + sum.slice(end), old);
        expect(joined).toBe(lf(result));
      }),
    );
  });
});

function lf(text: string): string {
  return text.replaceAll("\r\n", "\n");
}
