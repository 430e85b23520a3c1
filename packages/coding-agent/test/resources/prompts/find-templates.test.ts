import { expect, test } from "bun:test";
import { findTemplates } from "../../../src/resources/prompts/find-templates.ts";
import { type ProjectFolder, projectFolder } from "../../support/trust/project-folder.ts";

const source = { scope: "project", origin: "auto" } as const;

function find(folder: ProjectFolder, ...names: string[]) {
  const warnings: string[] = [];
  const places = names.map((name) => ({ path: folder.at(name), source, within: folder.cwd }));
  const templates = findTemplates(places, (text) => void warnings.push(text.replaceAll(`${folder.root}/`, "")));
  return { templates, warnings };
}

test("finds one per Markdown file of a folder, sorted by name", () => {
  using folder = projectFolder({
    "p/review.md": "---\ndescription: Reviews\nargument-hint: <file>\n---\nReview $1\n",
    "p/fix.md": `\n\n  ${"fix it ".repeat(20)}\nmore`,
    "p/sub/deep.md": "no",
    "p/note.txt": "no",
    "p/.hidden.md": "no",
  });
  const { templates, warnings } = find(folder, "p");
  expect(templates).toEqual([
    {
      name: "fix",
      description: `${"fix it ".repeat(20).slice(0, 60)}...`,
      text: `\n\n  ${"fix it ".repeat(20)}\nmore`,
      path: folder.at("p/fix.md"),
      source,
    },
    {
      name: "review",
      description: "Reviews",
      hint: "<file>",
      text: "Review $1\n",
      path: folder.at("p/review.md"),
      source,
    },
  ]);
  expect(warnings).toEqual([]);
});

test("a hint in brackets is a hint", () => {
  using folder = projectFolder({ "a.md": "---\nargument-hint: [issue, title]\n---\nx" });
  expect(find(folder, "a.md").templates).toMatchObject([{ name: "a", hint: "[issue, title]", description: "x" }]);
});

test("the first template with a name wins", () => {
  using folder = projectFolder({ "p/a.md": "first", "q/a.md": "second", "q/b.md": "other" });
  expect(find(folder, "p", "gone", "q").templates.map(({ text }) => text)).toEqual(["first", "other"]);
});

test("names that cannot be typed are not offered", () => {
  using folder = projectFolder({ "p/a b.md": "x", "p/a\u001b[2J.md": "x", "p/ok.md": "x" });
  const { templates, warnings } = find(folder, "p");
  expect(templates.map(({ name }) => name)).toEqual(["ok"]);
  const text = "a name with spaces or control characters cannot be called";
  expect(warnings).toEqual([`project/p/a[2J.md: ${text}`, `project/p/a b.md: ${text}`]);
});

test("ignores links out of the project", () => {
  using folder = projectFolder({ "p/ok.md": "x" });
  folder.write("../outside/evil.md", "secret");
  folder.link("p/evil.md", "../../outside/evil.md");
  folder.link("q", "../outside");
  const { templates, warnings } = find(folder, "p", "q");
  expect(templates.map(({ name }) => name)).toEqual(["ok"]);
  expect(warnings).toEqual([
    "project/p/evil.md: links outside the project and is not used without your consent",
    "project/q: links outside the project and is not used without your consent",
  ]);
});

test("cuts a large one, with a warning", () => {
  using folder = projectFolder({ "p/a.md": "x".repeat(300 * 1024) });
  const { templates, warnings } = find(folder, "p");
  expect([templates[0]?.text.length, warnings]).toEqual([
    256 * 1024,
    ["project/p/a.md: is larger than 256 KB; only the beginning is used"],
  ]);
});
