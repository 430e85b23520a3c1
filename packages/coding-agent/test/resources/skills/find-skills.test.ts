import { describe, expect, test } from "bun:test";
import type { ResourcePlace } from "../../../src/resources/places/resource-places.ts";
import { findSkills } from "../../../src/resources/skills/find-skills.ts";
import { type ProjectFolder, projectFolder } from "../../support/trust/project-folder.ts";

const skill = (description = "does it", more = "") => `---\ndescription: ${description}\n${more}---\nBody`;

function find(folder: ProjectFolder, places: Partial<ResourcePlace>[] = [{}]) {
  const warnings: string[] = [];
  const full = places.map((place) => ({
    path: folder.at("skills"),
    source: { scope: "project", origin: "auto" } as const,
    within: folder.cwd,
    hasSingleFiles: true as const,
    ...place,
  }));
  const skills = findSkills(full, (text) => void warnings.push(text.replaceAll(`${folder.root}/`, "")));
  return { skills, names: skills.map(({ name }) => name), warnings };
}

describe("where skills are", () => {
  test("are in folders with a SKILL.md, not below one, and in single files of the folder itself", () => {
    using folder = projectFolder({
      "skills/b/SKILL.md": skill(),
      "skills/b/inner/SKILL.md": skill(),
      "skills/group/deep/a/SKILL.md": skill(),
      "skills/single.md": skill(),
      "skills/group/note.md": skill(),
      "skills/.hidden/SKILL.md": skill(),
      "skills/node_modules/x/SKILL.md": skill(),
      "skills/readme.txt": "x",
    });
    expect(find(folder)).toMatchObject({ names: ["single", "b", "a"], warnings: [] });
    expect(find(folder, [{ hasSingleFiles: undefined } as never]).names).toEqual(["b", "a"]);
    expect(find(folder, [{ path: folder.at("skills/group/note.md") }]).names).toEqual(["note"]);
    expect(find(folder, [{ path: folder.at("skills/b") }]).names).toEqual(["b"]);
  });

  test("warns about missing paths that were named, but not about missing default paths", () => {
    using folder = projectFolder();
    expect(find(folder).warnings).toEqual([]);
    expect(find(folder, [{ source: { scope: "temporary", origin: "named" } }]).warnings).toEqual([
      "project/skills: no such file or folder",
    ]);
  });

  test("follows cyclic links only once", () => {
    using folder = projectFolder({ "skills/x/a/SKILL.md": skill() });
    folder.link("skills/x/up", "..");
    folder.link("skills/y", "x");
    expect(find(folder)).toMatchObject({ names: ["a"], warnings: [] });
  });

  test("ignores links out of the project, to files and to folders", () => {
    using folder = projectFolder({ "skills/ok/SKILL.md": skill(), "skills/half/other.txt": "" });
    folder.write("../outside/SKILL.md", skill());
    folder.link("skills/all", "../../outside");
    folder.link("skills/half/SKILL.md", "../../../outside/SKILL.md");
    const leaves = "links outside the project and is not used without your consent";
    expect(find(folder)).toMatchObject({
      names: ["ok"],
      warnings: [`project/skills/all: ${leaves}`, `project/skills/half/SKILL.md: ${leaves}`],
    });
    expect(find(folder, [{ within: undefined }]).names).toEqual(["all", "ok"]);
  });
});

describe("what a skill says", () => {
  test("all of it", () => {
    using folder = projectFolder({
      "skills/dir/SKILL.md": skill(
        "Makes\n  PDFs",
        "name: pdf-tools\ndisable-model-invocation: true\nallowed-tools: read\nlicense: MIT\nmetadata: {a: 1}\nfoo: bar\n",
      ),
    });
    expect(find(folder).skills).toEqual([
      {
        name: "pdf-tools",
        description: "Makes PDFs",
        path: folder.at("skills/dir/SKILL.md"),
        baseDir: folder.at("skills/dir"),
        isManual: true,
        source: { scope: "project", origin: "auto" },
        within: folder.cwd,
      },
    ]);
  });

  test.each([
    ["no head", "Body"],
    ["an empty description", skill('""')],
    ["another type", skill("[a]")],
  ])("%s: it is not used", (_what, text) => {
    using folder = projectFolder({ "skills/a/SKILL.md": text });
    expect(find(folder)).toMatchObject({
      names: [],
      warnings: ["project/skills/a/SKILL.md: a skill without a description is not used"],
    });
  });

  test.each(["Upper", "a--b", "-a", "a-", "a_b", "a b", "x".repeat(65)])(
    "the name %s is used with a warning",
    (name) => {
      using folder = projectFolder({ "skills/a/SKILL.md": skill("d", `name: "${name}"\n`) });
      const { names, warnings } = find(folder);
      expect(names).toEqual([name]);
      expect(warnings).toEqual([
        expect.stringContaining("should be 1 to 64 characters of a-z and 0-9, with single hyphens"),
      ]);
    },
  );

  test.each([
    ["true", true],
    ['"true"', true],
    ["True", true],
    ["false", false],
    ["sometimes", false],
  ])("disable-model-invocation: %s", (written, isManual) => {
    using folder = projectFolder({ "skills/a/SKILL.md": skill("d", `disable-model-invocation: ${written}\n`) });
    expect(find(folder).skills.map((one) => one.isManual)).toEqual([isManual]);
  });

  test("uses valid names without a warning", () => {
    using folder = projectFolder({
      "skills/a/SKILL.md": skill(),
      [`skills/${"x".repeat(64)}/SKILL.md`]: skill(),
      "skills/a-1/SKILL.md": skill(),
    });
    expect(find(folder).warnings).toEqual([]);
  });

  test("cuts a long description, and reads invalid front matter line by line", () => {
    using folder = projectFolder({
      "skills/a/SKILL.md": skill("x".repeat(2000)),
      "skills/b/SKILL.md": "---\ndescription: Use when: it breaks\nname: b\n---\n",
    });
    const { skills, warnings } = find(folder);
    expect(skills.map(({ description }) => description)).toEqual(["x".repeat(1024), "Use when: it breaks"]);
    expect(warnings).toEqual([
      "project/skills/a/SKILL.md: the description is longer than 1024 characters",
      "project/skills/b/SKILL.md: the front matter is not valid YAML and was read line by line",
    ]);
  });
});

describe("several", () => {
  test("with the same name: the first is used, with a warning about the other", () => {
    using folder = projectFolder({ "skills/a/SKILL.md": skill("first"), "more/a/SKILL.md": skill("second") });
    const { skills, warnings } = find(folder, [{}, { path: folder.at("more") }]);
    expect(skills.map(({ description }) => description)).toEqual(["first"]);
    expect(warnings).toEqual(['project/more/a/SKILL.md: a skill "a" already exists, in project/skills/a/SKILL.md']);
  });

  test("several paths to one file are one skill, without a warning", () => {
    using folder = projectFolder({ "skills/a/SKILL.md": skill() });
    folder.link("more", "skills");
    expect(find(folder, [{}, { path: folder.at("more") }])).toMatchObject({ names: ["a"], warnings: [] });
  });

  test("too many", () => {
    using folder = projectFolder(
      Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`skills/s${n}/SKILL.md`, skill()])),
    );
    const { names, warnings } = find(folder);
    expect([names.length, warnings]).toEqual([200, ["there are more than 200 skills; the others are not used"]]);
  });
});
