import { describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { scratchDirectory } from "../../../../test/support/scratch-directory.mjs";
import { loadRules } from "../../src/rules/load-rules.ts";
import { findRulePlaces } from "../../src/rules/rule-places.ts";

/** Maps a path below the folder to the content of the file. */
type Files = Record<string, string>;

async function load(files: Files, prepare: (root: string) => void = () => {}) {
  using scratch = scratchDirectory();
  const root = scratch.path;
  for (const directory of ["cwd", "home"]) mkdirSync(join(root, directory));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  prepare(root);
  const warnings: string[] = [];
  const places = { cwd: join(root, "cwd"), home: join(root, "home") };
  const { book, always, listed } = loadRules(findRulePlaces(places), (warning) =>
    warnings.push(warning.replaceAll(root, "")),
  );
  return { book, always, listed, warnings };
}

const names = (rules: readonly { name: string }[]) => rules.map(({ name }) => name);
const watching = (text: string) => `---\ncondition: x\n---\n${text}\n`;

describe("which file applies", () => {
  test("the project's before the user's before another program's; in the order of their names", async () => {
    const { book, warnings } = await load({
      "cwd/.pintle/rules/b.md": watching("project b"),
      "cwd/.pintle/rules/a.mdc": watching("project a"),
      "cwd/.pintle/rules/a.md": watching("project a first"),
      "cwd/.pintle/rules/.hidden.md": watching("no"),
      "cwd/.pintle/rules/c.txt": watching("no"),
      "cwd/.pintle/rules/deep/d.md": watching("no"),
      "home/rules/a.md": watching("user a"),
      "home/rules/u.md": watching("user u"),
      "cwd/.cursor/rules/u.mdc": watching("cursor u"),
      "cwd/.cursor/rules/z.mdc": watching("cursor z"),
    });
    expect(book.rules.map(({ name, content }) => [name, content])).toEqual([
      ["a", "project a first"],
      ["b", "project b"],
      ["u", "user u"],
      ["z", "cursor z"],
    ]);
    expect(warnings).toEqual(["/home/rules/a.md: is not used, because the project has a rule with that name"]);
  });

  test("names of files do nothing to a terminal", async () => {
    const { warnings } = await load({ "cwd/.pintle/rules/x\u001b[2J\u202ey.md": "---\ninterruptMode: no\n---\n" });
    expect(warnings[0]).toStartWith("/cwd/.pintle/rules/x?[2J?y.md: ");
  });

  test("no directories, no rules", async () => {
    const { book, always, listed, warnings } = await load({});
    expect([book.rules, always, listed, warnings]).toEqual([[], [], [], []]);
    expect(book.watch("/")).toBeUndefined();
  });

  test("links out of the project, directories and large files are not read", async () => {
    const files = {
      "secret.md": watching("secret"),
      "home/linked.md": watching("home"),
      "cwd/real.md": watching("real"),
    };
    const { book, warnings } = await load(files, (root) => {
      const rules = join(root, "cwd", ".pintle", "rules");
      mkdirSync(join(rules, "directory.md"), { recursive: true });
      symlinkSync(join(root, "secret.md"), join(rules, "out.md"));
      symlinkSync(join(root, "cwd", "real.md"), join(rules, "in.md"));
      symlinkSync(join(root, "nowhere.md"), join(rules, "dangling.md"));
      writeFileSync(join(rules, "large.md"), watching("x".repeat(70_000)));
      mkdirSync(join(root, "home", "rules"));
      symlinkSync(join(root, "home", "linked.md"), join(root, "home", "rules", "linked.md"));
    });
    expect(names(book.rules)).toEqual(["in", "linked"]);
    expect(warnings.map((warning) => /(\w+)\.md: the rule is not used: (.{10})/.exec(warning)?.slice(1))).toEqual([
      ["dangling", "ENOENT: no"],
      ["directory", "it is not "],
      ["large", "it is larg"],
      ["out", "it links t"],
    ]);
  });
});

test("what becomes of a rule", async () => {
  const { book, always, listed, warnings } = await load({
    "cwd/.pintle/rules/watches.md": "---\ncondition: x\nalwaysApply: true\ndescription: d\n---\n",
    "cwd/.pintle/rules/some.md": "---\ncondition: ['(', y]\n---\n",
    "cwd/.pintle/rules/always.md": "---\nalwaysApply: true\ndescription: d\n---\ntext",
    "cwd/.pintle/rules/broken.md": "---\ncondition: '('\nalwaysApply: true\n---\ntext",
    "cwd/.pintle/rules/listed.md": "---\ndescription: d\n---\ntext",
    "cwd/.pintle/rules/nothing.md": "text",
    "cwd/.pintle/rules/nowhere.md": "---\ncondition: x\nscope: 'a b'\n---\n",
    "cwd/.cursor/rules/c.mdc": "---\ndescription: c\nglobs: *.ts, *.tsx\nalwaysApply: false\n---\ntext",
  });
  expect(names(book.rules)).toEqual(["some", "watches"]);
  expect(names(always)).toEqual(["always", "broken"]);
  expect(names(listed)).toEqual(["listed", "c"]);
  expect(listed[1]).toMatchObject({ description: "c", globs: ["*.ts", "*.tsx"], alwaysApply: false, content: "text" });
  expect(warnings.map((warning) => warning.split("/").at(-1))).toEqual([
    'broken.md: the condition "(" is skipped: Invalid regular expression: missing )',
    'nowhere.md: unknown scope "a b"',
    "nowhere.md: its scope matches nothing",
    'some.md: the condition "(" is skipped: Invalid regular expression: missing )',
  ]);
});
