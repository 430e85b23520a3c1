/** A call as a model makes it, and what a right result contains. */
export interface ToolTrial {
  tool: string;
  args: object;
  /** A model that reads this has the information it wanted. */
  truth: RegExp;
}

const call = (tool: string, args: object, truth: RegExp): ToolTrial => ({ tool, args, truth });
const CART = /let total = 1/;

/** The files that the calls are about. */
export const FILES: Readonly<Record<string, string>> = {
  "src/cart.js": "let total = 1;\nlet b = 2;\nlet c = 3;\nmodule.exports = { total, b, c };\n",
  "src/order.ts": "export function order(id: number) {\n  return fetchOrder(id);\n}\n",
  "src/deep/a.py": "def f(x):\n    return x  # value\n",
  "README.md": "# Shop\n\nRun `npm test`.\n",
  "long.txt": Array.from({ length: 3000 }, (_, index) => `line ${index + 1}\n`).join(""),
  ...Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`edit/${index}.txt`, "one\ntwo\nthree\n"])),
};

/** Calls with the tool's own names. */
export const TYPICAL: readonly ToolTrial[] = [
  call("read", { path: "src/cart.js" }, CART),
  call("read", { path: "long.txt", offset: 10, limit: 3 }, /line 12/),
  call("read", { path: "long.txt", offset: 2999 }, /line 3000/),
  call("read", { path: "README.md" }, /npm test/),
  call("read", { path: "src/order.ts" }, /fetchOrder/),
  call("bash", { command: "echo hi" }, /hi/),
  call("bash", { command: "cat src/cart.js | head -1" }, CART),
  call("bash", { command: "exit 3" }, /3/),
  call("bash", { command: "ls src" }, /cart\.js/),
  call("bash", { command: "pwd" }, /\//),
  call("bash", { command: "seq 1 20000" }, /20000/),
  call("bash", { command: "sleep 30", timeout: 1 }, /tim(ed|eout)/i),
  call("bash", { command: "grep -rn total src" }, CART),
  call("bash", { command: "wc -l long.txt" }, /3000/),
  call("grep", { pattern: "total", path: "src" }, CART),
  call("grep", { pattern: "TOTAL", path: "src", ignoreCase: true }, CART),
  call("grep", { pattern: "line 1", path: "long.txt" }, /line 10/),
  call("grep", { pattern: "nothing-like-it" }, /[Nn]o matches/),
  call("grep", { pattern: "fetchOrder", glob: "*.ts" }, /order\.ts/),
  call("find", { pattern: "*.py" }, /a\.py/),
  call("find", { pattern: "src/**/*.js" }, /cart\.js/),
  call("find", { pattern: "*.rb" }, /[Nn]o files/),
  call("ls", { path: "src" }, /cart\.js/),
  call("ls", {}, /README\.md/),
  call("write", { path: "new/a.txt", content: "hello\n" }, /new\/a\.txt/),
  call("write", { path: "new/b.txt", content: "" }, /new\/b\.txt/),
  ...Array.from({ length: 14 }, (_, index) =>
    call(
      "edit",
      { path: `edit/${index}.txt`, edits: [{ oldText: "two", newText: `two ${index}` }] },
      /[Ee]dited|[Ss]uccess|[Rr]eplaced/,
    ),
  ),
];

/** Calls with other agents' names, with typos, or about things that do not exist. */
export const MISTAKEN: readonly ToolTrial[] = [
  call("read", { file_path: "src/cart.js" }, CART),
  call("read", { path: "long.txt", view_range: [10, 12] }, /^line 10\nline 11\nline 12\n(?!line)/m),
  call("read", { path: "long.txt", start_line: 2999, end_line: 3000 }, /^line 2999/),
  call("read", { path: "src/card.js" }, /src\/cart\.js/),
  call("read", { path: "src/cart.js", foo: 1 }, /let total[\s\S]*foo/),
  call("read", { path: "src" }, /cart\.js/),
  call("read", {}, /path/),
  call("Read", { path: "src/cart.js" }, CART),
  call("read_file", { path: "src/cart.js" }, CART),
  call("str_replace_editor", { command: "view", path: "src/cart.js" }, CART),
  call("bash", { cmd: "echo hi" }, /hi/),
  call("bash", { command: "echo hi", description: "Say hi" }, /hi/),
  call("bash", { command: ["bash", "-lc", "echo hi"] }, /hi/),
  call("bash", { command: "echo hi", timeout: 120_000 }, /hi/),
  call("bash", { command: "echo hi", run_in_background: true }, /run_in_background/),
  call("bash", { command: "echo hi", workdir: "src" }, /hi/),
  call("Bash", { command: "echo hi" }, /hi/),
  call("shell", { command: "echo hi" }, /hi/),
  call("grep", { pattern: "TOTAL", "-i": true }, CART),
  call("grep", { pattern: "total", include: "*.js" }, CART),
  call("grep", { pattern: "line", path: "long.txt", head_limit: 2 }, /line 2\n(?!.*line 3\b)/),
  call("grep", { pattern: "let", output_mode: "files_with_matches" }, /^src\/cart\.js$/m),
  call("grep", { query: "total" }, CART),
  call("grep", { pattern: "(" }, /regular expression|regex|unclosed/i),
  call("Grep", { pattern: "total" }, CART),
  call("find", { glob: "*.py" }, /a\.py/),
  call("glob", { pattern: "*.py" }, /a\.py/),
  call("ls", { directory: "src" }, /^cart\.js$/m),
  call("ls", { path: "scr" }, /src/),
  call("write", { path: "src/cart.js", content: "", overwrite: false }, /overwrite/),
  call("write", { file_path: "new/c.txt", content: "x" }, /new\/c\.txt/),
  call("write", { path: "new/d.txt" }, /content/),
  call("edit", { file_path: "edit/20.txt", old_string: "two", new_string: "2" }, /[Ee]dited|[Ss]uccess|[Rr]eplaced/),
  call(
    "edit",
    { path: "edit/21.txt", edits: [{ old_string: "two", new_string: "2" }] },
    /[Ee]dited|[Ss]uccess|[Rr]eplaced/,
  ),
  call(
    "edit",
    { path: "edit/22.txt", edits: [{ oldText: "two  ", newText: "2" }] },
    /[Ee]dited|[Ss]uccess|[Rr]eplaced/,
  ),
  call("edit", { path: "edit/23.txt", edits: [{ oldText: "twoo", newText: "2" }] }, /two/),
  call("edit", { path: "edit/24.txt", edits: [{ oldText: "e", newText: "E" }] }, /2|occur|unique/),
  call(
    "MultiEdit",
    { file_path: "edit/25.txt", edits: [{ old_string: "two", new_string: "2" }] },
    /[Ee]dited|[Ss]uccess|[Rr]eplaced/,
  ),
  call(
    "edit",
    {
      path: "edit/26.txt",
      edits: [
        { oldText: "one", newText: "1" },
        { oldText: "zzz", newText: "" },
      ],
    },
    /[Nn]one/,
  ),
  call("reed", { path: "src/cart.js" }, /read/),
];
