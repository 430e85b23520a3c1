import { describe, expect, test } from "bun:test";
import { type Capture, fillTemplate } from "../../../src/tools/ast/captures.ts";
import { capturedVariables, parseTemplate } from "../../../src/tools/ast/metavariables.ts";

function fill(template: string, captures: Record<string, Capture>, indent = "", lineBreak = "\n"): string {
  const pattern = Object.keys(captures)
    .map((name) => `$${name}`)
    .join(" ");
  const parts = parseTemplate(template, capturedVariables(pattern), () => {
    throw new Error("refused");
  });
  return fillTemplate(parts, ({ name }) => captures[name]!, { indent, lineBreak });
}

describe("lines of the template", () => {
  test("are indented like the place, empty ones are not", () => {
    expect(fill("if (x) {\n  $A\n\n}", { A: { text: "a()", indent: "" } }, "    ")).toBe(
      "if (x) {\n      a()\n\n    }",
    );
  });

  test("get the line breaks of the file", () => {
    expect(fill("a\nb\r\nc", {}, "", "\r\n")).toBe("a\r\nb\r\nc");
  });

  test("a line break at the end brings no blanks with it", () => {
    expect(fill("a;\n", {}, "  ")).toBe("a;\n");
  });
});

describe("lines of a capture", () => {
  const block: Capture = { text: "foo({\n      a: 1,\n    })", indent: "    " };

  test("move to the left with the line that receives them", () => {
    expect(fill("$A", { A: block }, "  ")).toBe("foo({\n    a: 1,\n  })");
  });

  test("move to the right", () => {
    expect(fill("try {\n  $A\n}", { A: block }, "    ")).toBe("try {\n      foo({\n        a: 1,\n      })\n    }");
  });

  test("stay when the indentation is the same, however long the text before them became", () => {
    expect(fill("muchLongerName($A)", { A: block }, "    ")).toBe(`muchLongerName(${block.text})`);
  });

  test("keep tabs as tabs", () => {
    expect(fill("$A", { A: { text: "f(\n\t\t\ta)", indent: "\t\t" } }, "\t")).toBe("f(\n\t\ta)");
  });

  test("stay when they are empty, further left, or inside of a string", () => {
    const text = "f(`\n    x`,\n\n#if A\n    b)";
    const capture = { text, indent: "    ", fixedLines: new Set([text.indexOf("    x")]) };
    expect(fill("$A", { A: capture }, "  ")).toBe("f(`\n    x`,\n\n#if A\n  b)");
  });

  test("keep their own line breaks", () => {
    expect(fill("$A", { A: { text: "a\r\n    b", indent: "    " } }, "  ", "\r\n")).toBe("a\r\n  b");
  });
});
