import { afterEach, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import type { AstEditArguments } from "../../../src/tools/ast-edit/execute.ts";
import { astEditTool } from "../../../src/tools/ast-edit.ts";
import { AstWorkspace } from "../../support/tools/ast/ast-workspace.ts";

let open: AstWorkspace[] = [];

function workspace(...args: ConstructorParameters<typeof AstWorkspace>): AstWorkspace {
  const created = new AstWorkspace(...args);
  open.push(created);
  return created;
}

afterEach(async () => {
  delete process.env.PINTLE_MAX_AST_FILES;
  await Promise.all(open.map((each) => each[Symbol.asyncDispose]()));
  open = [];
});

/** One file before and after. */
async function changed(file: string, source: string, args: AstEditArguments): Promise<string> {
  const at = workspace({ [file]: source });
  await at.change(args);
  return at.read(file);
}

describe("preview", () => {
  const LOG = "function a() {\n  console.log(a)\n  console.log(b,\n    c,\n    d,\n    e)\n}\n";
  const OPS = [{ pat: "console.log($$$ARGS)", out: "logger.info($$$ARGS)" }];

  test("shows both sides of each replacement under the name of its file", async () => {
    const { text, details } = await workspace({ "src/log.ts": LOG, "src/api/x.ts": "console.log()\n" }).edit({
      ops: OPS,
    });
    expect(text).toBe(
      [
        "Preview only, nothing written. Call resolve to apply or discard.",
        "",
        "# src/api",
        "## x.ts (1 replacement)",
        "-1:1 console.log()",
        "+1:1 logger.info()",
        "",
        "# src",
        "## log.ts (2 replacements)",
        "-2:3 console.log(a)",
        "+2:3 logger.info(a)",
        "-3:3 console.log(b, … (+3 lines)",
        "+3:3 logger.info(b, … (+3 lines)",
      ].join("\n"),
    );
    expect(details).toEqual({
      totalReplacements: 3,
      filesTouched: 2,
      filesSearched: 2,
      applied: false,
      limitReached: false,
      scopePath: ".",
      files: ["src/api/x.ts", "src/log.ts"],
      fileReplacements: [
        { path: "src/api/x.ts", count: 1 },
        { path: "src/log.ts", count: 2 },
      ],
      diff: [
        "--- a/src/api/x.ts",
        "+++ b/src/api/x.ts",
        "@@ -1,1 +1,1 @@",
        "-console.log()",
        "+logger.info()",
        "--- a/src/log.ts",
        "+++ b/src/log.ts",
        "@@ -1,6 +1,6 @@",
        " function a() {",
        "-  console.log(a)",
        "+  logger.info(a)",
        "-  console.log(b,",
        "+  logger.info(b,",
        "     c,",
        "     d,",
        "     e)",
        "",
      ].join("\n"),
    });
  });

  test("of a single file has no headings", async () => {
    const { text, details } = await workspace({ "a.ts": "console.log(1)" }).edit({ ops: OPS, path: "a.ts" });
    expect(text.split("\n").slice(2)).toEqual(["-1:1 console.log(1)", "+1:1 logger.info(1)"]);
    expect(details.scopePath).toBe("a.ts");
  });

  test("cuts long lines", async () => {
    const { text } = await workspace({ "a.ts": `console.log("${"x".repeat(200)}")` }).edit({ ops: OPS });
    const line = text.split("\n").find((each) => each.startsWith("-"));
    expect(line).toBe(`-1:1 console.log("${"x".repeat(107)}…`);
  });

  test("stages one action whose label has the counts", async () => {
    const at = workspace({ "a.ts": LOG });
    const { details } = await at.edit({ ops: OPS });
    const { apply, applyFiles, applyHunks, proposedText, changes, ...action } = at.staged[0]!;
    expect([apply, applyFiles, applyHunks, proposedText].map((part) => typeof part)).toEqual(Array(4).fill("function"));
    expect(changes).toMatchObject([{ path: "a.ts", status: "modified", added: 2, removed: 2, sources: ["ast_edit"] }]);
    expect(action).toEqual({
      label: "AST Edit: 2 replacements in 1 file",
      sourceToolName: "ast_edit",
      details,
      paths: ["a.ts"],
      pendingNote: "Preview only, nothing written. Call resolve to apply or discard.",
    });
    await at.edit({ ops: OPS, limit: 1 });
    expect(at.staged[1]?.label).toBe("AST Edit: 1 replacement in 1 file");
  });

  test("a part of it is applied when its own files are as they were, whatever became of the others", async () => {
    const at = workspace({ "a.ts": LOG, "b.ts": LOG });
    await at.edit({ ops: OPS });
    writeFileSync(at.path("b.ts"), "// changed meanwhile\n");
    const [action] = at.staged;
    expect(await action!.applyFiles!(["b.ts"], "r")).toMatchObject({ isError: true });
    expect(readFileSync(at.path("a.ts"), "utf8")).toBe(LOG);
    const { isError, details } = await action!.applyFiles!(["a.ts"], "r");
    expect([isError, details]).toEqual([undefined, expect.objectContaining({ applied: true, appliedFiles: ["a.ts"] })]);
    expect(readFileSync(at.path("a.ts"), "utf8")).not.toBe(LOG);
    expect(readFileSync(at.path("b.ts"), "utf8")).toBe("// changed meanwhile\n");
  });

  test("writes nothing", async () => {
    const at = workspace({ "src/a.ts": LOG, "b.py": "console.log(1)\n" });
    const state = () =>
      readdirSync(at.directory, { recursive: true, encoding: "utf8" })
        .sort()
        .map((name) => {
          const info = statSync(at.path(name));
          return [name, info.mtimeMs, info.ino, info.isFile() && readFileSync(at.path(name), "utf8")];
        });
    const before = state();
    const { details } = await at.edit({ ops: OPS });
    expect(details.totalReplacements).toBe(3);
    expect(state()).toEqual(before);
  });

  test("nothing to do stages nothing", async () => {
    const at = workspace({ "a.ts": "same(1)\n" });
    const { text, details } = await at.edit({
      ops: [
        { pat: "other($A)", out: "x" },
        { pat: "same($A)", out: "same($A)" },
      ],
    });
    expect(text).toBe("No replacements made.");
    expect(details).toMatchObject({
      totalReplacements: 0,
      filesTouched: 0,
      filesSearched: 1,
      applied: false,
      diff: "",
    });
    expect(at.staged).toEqual([]);
  });

  test("files that do not parse are reported and left unchanged, even if others change", async () => {
    const at = workspace({ "a.ts": "old(1)\n", "broken.ts": "old(2); function (((\n" });
    const { text, details } = await at.edit({ ops: [{ pat: "old($A)", out: "fresh($A)" }] });
    expect(details).toMatchObject({ files: ["a.ts"], filesSearched: 2, parseErrors: ["broken.ts: syntax error"] });
    expect(text).toEndWith("\n\nParse issues:\n- broken.ts: syntax error");
    await at.apply();
    expect(at.read("broken.ts")).toBe("old(2); function (((\n");
  });

  test("an op that is invalid in every language is reported, the others work", async () => {
    const at = workspace({ "a.ts": "old(1)\n" });
    const { details } = await at.edit({
      ops: [
        { pat: "a; b", out: "c" },
        { pat: "old($A)", out: "fresh($A)" },
      ],
    });
    expect(details.totalReplacements).toBe(1);
    expect(details.parseErrors).toEqual([
      "a; b: Multiple AST nodes are detected. Wrap it in valid context and set sel.",
    ]);
  });

  test("the diff for hosts is cut at 50 KB, between hunks", async () => {
    const source = Array.from({ length: 3000 }, (_, index) => `console.log(${index})\n\n\n\n\n\n\n\n`).join("");
    const { details } = await workspace({ "a.ts": source }).edit({ ops: OPS });
    expect(Buffer.byteLength(details.diff)).toBeLessThanOrEqual(51_200);
    expect(Buffer.byteLength(details.diff)).toBeGreaterThan(50_000);
    expect(details.diff).toEndWith(" \n[The diff is cut at 50 KB.]\n");
    expect(details.totalReplacements).toBe(3000);
  });

  test("a long preview is cut, and what must be known stays", async () => {
    const at = workspace({ "a.ts": "console.log(1)\n".repeat(30) }, { "tools.maxOutputLines": 10 });
    const { text } = await at.edit({ ops: OPS, limit: 20 });
    expect(text).toContain("[The first 10 lines");
    expect(text).toEndWith("\n\nLimit reached; there is more to replace. Use a narrower path or glob.");
  });
});

describe("refused before a file is read", () => {
  test.each<[AstEditArguments, string]>([
    [{ ops: [] }, "ops is empty"],
    [
      {
        ops: [
          { pat: "a", out: "b" },
          { pat: " \n", out: "" },
        ],
      },
      "ops[1].pat is empty",
    ],
    [
      {
        ops: [
          { pat: "a", out: "b" },
          { pat: "a", out: "c" },
        ],
      },
      "ops[1].pat is the same as ops[0].pat: a",
    ],
    [{ ops: [{ pat: "f($A)", out: "g($B)" }] }, "ops[0].out uses $B, which ops[0].pat does not capture"],
    [{ ops: [{ pat: "f($_)", out: "g($_)" }] }, "ops[0].out uses $_, which ops[0].pat does not capture"],
    [{ ops: [{ pat: "f($$$)", out: "g($$$)" }] }, "ops[0].out uses $$$, which ops[0].pat does not capture"],
    [
      { ops: [{ pat: "f($$A)", out: "g" }] },
      "ops[0].pat: $$A is not a variable; use $A for one node or $$$A for several",
    ],
    [{ ops: [{ pat: "a", out: "b" }], limit: 0 }, "limit must be a number of at least 1"],
    [{ ops: [{ pat: "a", out: "b" }], path: "missing" }, "Path not found: missing"],
    [{ ops: [{ pat: "a", out: "b" }], lang: "klingon" }, "Unsupported language: klingon."],
  ])("%j", async (args, message) => {
    const at = workspace({ "a.ts": "a" });
    await expect(at.edit(args)).rejects.toThrow(message);
    expect(at.staged).toEqual([]);
  });

  test("a variable in the context around the node that sel picks", async () => {
    const at = workspace({ "a.go": "package a\n\nfunc f() { fmt.Println(x) }\n" });
    const ops = [{ pat: "func $F() { fmt.Println($A) }", out: "log.Print($F, $A)" }];
    await expect(at.edit({ ops, sel: "call_expression" })).rejects.toThrow(
      "ops[0].out uses $F, which ops[0].pat does not capture",
    );
  });
});

describe("languages", () => {
  test.each<[string, string, Omit<AstEditArguments, "path">, string]>([
    [
      "a.ts",
      "const a = b as any;\n",
      { ops: [{ pat: "$A as any", out: "$A as unknown" }] },
      "const a = b as unknown;\n",
    ],
    [
      "a.tsx",
      "x = <B a={1}>t</B>;\n",
      { ops: [{ pat: "<B a={$A}>$$$C</B>", out: "<C b={$A}>$$$C</C>" }] },
      "x = <C b={1}>t</C>;\n",
    ],
    ["a.js", "var x = 1, y;\n", { ops: [{ pat: "var $$$D", out: "let $$$D" }] }, "let x = 1, y;\n"],
    ["a.py", "print(a, b)  # c\n", { ops: [{ pat: "print($$$A)", out: "log($$$A)" }] }, "log(a, b)  # c\n"],
    [
      "a.go",
      "package a\n\nfunc f() { fmt.Println(x, y) }\n",
      { ops: [{ pat: "func t() { fmt.Println($$$A) }", out: "log.Print($$$A)" }], sel: "call_expression" },
      "package a\n\nfunc f() { log.Print(x, y) }\n",
    ],
    [
      "a.rs",
      "fn f() { a.unwrap(); }\n",
      { ops: [{ pat: "$A.unwrap()", out: '$A.expect("set")' }] },
      'fn f() { a.expect("set"); }\n',
    ],
    [
      "A.java",
      "class A { int f() { return old(1); } }\n",
      { ops: [{ pat: "old($A)", out: "fresh($A)" }] },
      "class A { int f() { return fresh(1); } }\n",
    ],
    [
      "a.c",
      "int f(void) { old(1); return old(2); }\n",
      { ops: [{ pat: "old($A);", out: "fresh($A)" }], sel: "call_expression" },
      "int f(void) { fresh(1); return fresh(2); }\n",
    ],
    ["a.json", '{"old": ["old"]}\n', { ops: [{ pat: '"old"', out: '"fresh"' }] }, '{"fresh": ["fresh"]}\n'],
    ["a.yaml", "a:\n  port: 1 # one\n", { ops: [{ pat: "port: $P", out: "listen: $P" }] }, "a:\n  listen: 1 # one\n"],
    ["a.html", "<p><b>x</b></p>\n", { ops: [{ pat: "<b>$X</b>", out: "<i>$X</i>" }] }, "<p><i>x</i></p>\n"],
    [
      "a.css",
      "a { color: red; top: 0 }\n",
      { ops: [{ pat: "a { color: $C; }", out: "background: $C;" }], sel: "declaration" },
      "a { background: red; top: 0 }\n",
    ],
  ])("%s", async (file, source, args, expected) => {
    expect(await changed(file, source, args)).toBe(expected);
  });

  test("a mixed tree is changed in one go", async () => {
    const at = workspace({ "a.ts": "old(1)\n", "b.py": "old(2)\n", "c.java": "class A { int x = old(3); }\n" });
    expect(await at.change({ ops: [{ pat: "old($A)", out: "fresh($A)" }] })).toBe("Applied 3 replacements in 3 files.");
    expect([at.read("a.ts"), at.read("b.py"), at.read("c.java")]).toEqual([
      "fresh(1)\n",
      "fresh(2)\n",
      "class A { int x = fresh(3); }\n",
    ]);
  });
});

describe("text that is not touched", () => {
  test("a slice keeps commas, comments and blanks", async () => {
    const source = "old(a ,/* b */  b,\n  // c\n  c)\n";
    expect(await changed("a.ts", source, { ops: [{ pat: "old($$$A)", out: "fresh($$$A)" }] })).toBe(
      "fresh(a ,/* b */  b,\n  // c\n  c)\n",
    );
  });

  test("byte order mark, line breaks and the missing one at the end stay", async () => {
    const source = "\uFEFFold('é𝒳');\r\nold(1);\nold({\r\n  a,\r\n})";
    expect(await changed("a.ts", source, { ops: [{ pat: "old($A)", out: "fresh($A)" }] })).toBe(
      "\uFEFFfresh('é𝒳');\r\nfresh(1);\nfresh({\r\n  a,\r\n})",
    );
  });

  test("new lines end like the others", async () => {
    const args = { ops: [{ pat: "old($A)", out: "if (x) {\n  fresh($A)\n}" }] };
    expect(await changed("a.ts", "{\r\n  old(1)\r\n}\r\n", args)).toBe(
      "{\r\n  if (x) {\r\n    fresh(1)\r\n  }\r\n}\r\n",
    );
  });

  test("no nodes are no text, and an empty out deletes", async () => {
    expect(await changed("a.ts", "old()\n", { ops: [{ pat: "old($$$A)", out: "[$$$A]" }] })).toBe("[]\n");
    const at = workspace({ "a.ts": "f(debugger_(1), 2);\n" });
    const { text } = await at.edit({ ops: [{ pat: "debugger_($A)", out: "" }] });
    expect(text).toEndWith("-1:3 debugger_(1)\n+1:3");
    await at.apply();
    expect(at.read("a.ts")).toBe("f(, 2);\n");
  });
});

describe("indentation", () => {
  test("a body that moves out of its block moves left", async () => {
    const source =
      "function f() {\n    if (on) {\n        a({\n            b: 1,\n        });\n        c();\n    }\n}\n";
    expect(await changed("a.ts", source, { ops: [{ pat: "if (on) { $$$BODY }", out: "$$$BODY" }] })).toBe(
      "function f() {\n    a({\n        b: 1,\n    });\n    c();\n}\n",
    );
  });

  test("a body that moves into a block moves right, strings do not", async () => {
    const source = "def f():\n    with lock:\n        a(\n            1)\n        b = '''x\n  y'''\n";
    const ops = [{ pat: "with lock:\n    $$$BODY", out: "try:\n    with lock:\n        $$$BODY\nfinally:\n    end()" }];
    expect(await changed("a.py", source, { ops })).toBe(
      "def f():\n    try:\n        with lock:\n            a(\n                1)\n            b = '''x\n  y'''\n    finally:\n        end()\n",
    );
  });

  test("a template string keeps its bytes", async () => {
    const string = "`\n    x $" + "{\n    y}\n    `";
    expect(await changed("a.ts", `{\n  wrap(\n    ${string})\n}\n`, { ops: [{ pat: "wrap($A)", out: "$A" }] })).toBe(
      `{\n  ${string}\n}\n`,
    );
  });
});

describe("overlaps", () => {
  test("within one op the outermost match wins", async () => {
    const at = workspace({ "a.ts": "wrap(wrap(wrap(x)));\nwrap(y);\n" });
    const { text, details } = await at.edit({ ops: [{ pat: "wrap($A)", out: "pack($A)" }] });
    expect(details.totalReplacements).toBe(2);
    expect(text).toEndWith("\n\n2 matches inside of another match of the same op left out; run again for those.");
    await at.apply();
    expect(at.read("a.ts")).toBe("pack(wrap(wrap(x)));\npack(y);\n");
  });

  test.each([
    ["nested", "a($X)", "b($X)"],
    ["equal", "a($X)", "$F(b(1))"],
  ])("between ops they fail the preview: %s", async (_name, first, second) => {
    const at = workspace({ "src/x.ts": "c();\na(b(1));\n" });
    const edit = at.edit({
      ops: [
        { pat: "c()", out: "d()" },
        { pat: second, out: "y" },
        { pat: first, out: "x" },
      ],
    });
    await expect(edit).rejects.toThrow("ops[1] and ops[2] overlap in src/x.ts at line 2.");
    expect(at.staged).toEqual([]);
  });

  test("neighbours do not overlap", async () => {
    const ops = [
      { pat: "<A />", out: "<X />" },
      { pat: "<B />", out: "<Y />" },
    ];
    expect(await changed("a.tsx", "<p><A /><B /></p>;\n", { ops })).toBe("<p><X /><Y /></p>;\n");
  });

  test("a directory and a file in it are one scan", async () => {
    const at = workspace({ "src/a.ts": "wrap(x)\n" });
    await at.change({ ops: [{ pat: "wrap($A)", out: "wrap(wrap($A))" }], path: "src, src/a.ts, ./src" });
    expect(at.read("src/a.ts")).toBe("wrap(wrap(x))\n");
  });
});

describe("limits", () => {
  const files = { "a.ts": "old(1);\nold(2);\n", "b.ts": "old(3);\n", "c.ts": "old(4);\n" };
  const ops = [{ pat: "old($A)", out: "fresh($A)" }];

  test("replacements are made in path order up to the limit", async () => {
    const at = workspace(files);
    const { text, details } = await at.edit({ ops, limit: 3.5 });
    expect(details).toMatchObject({ totalReplacements: 3, filesTouched: 2, limitReached: true });
    expect(text).toEndWith("\n\nLimit reached; there is more to replace. Use a narrower path or glob.");
    expect((await at.apply()).text).toBe("Applied 3 replacements in 2 files.");
    expect(at.read("c.ts")).toBe("old(4);\n");
  });

  test("a limit inside of a file", async () => {
    const at = workspace(files);
    await at.change({ ops, limit: 1 });
    expect(at.read("a.ts")).toBe("fresh(1);\nold(2);\n");
  });

  test("a limit that fits is not reached", async () => {
    expect((await workspace(files).edit({ ops, limit: 4 })).details.limitReached).toBe(false);
  });

  test("the number of files can be limited from outside", async () => {
    process.env.PINTLE_MAX_AST_FILES = "1";
    const { details } = await workspace(files).edit({ ops });
    expect(details).toMatchObject({ files: ["a.ts"], totalReplacements: 2, limitReached: true });
  });
});

test("pintle's own files are refused", async () => {
  const at = workspace({ "pintle-home/settings.json": '{"a": "old"}', "b.json": '"old"' });
  await expect(at.edit({ ops: [{ pat: '"old"', out: '"fresh"' }] })).rejects.toThrow(
    "pintle-home/settings.json belongs to pintle itself, so tools cannot change it",
  );
  expect(at.staged).toEqual([]);
});

describe("declaration", () => {
  test("a call is always a preview that runs alone", () => {
    expect(astEditTool).toMatchObject({ name: "ast_edit", deferrable: true, concurrency: "exclusive" });
    expect(Object.keys(astEditTool.parameters({} as never).properties)).toEqual([
      "ops",
      "path",
      "glob",
      "lang",
      "sel",
      "limit",
    ]);
    expect(astEditTool.description.length).toBeLessThan(900);
  });

  test("a single op is accepted", () => {
    expect(astEditTool.prepareArguments?.({ ops: { pat: "a", out: "b" } })).toEqual({ ops: [{ pat: "a", out: "b" }] });
  });
});
