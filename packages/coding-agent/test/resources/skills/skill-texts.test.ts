import { describe, expect, test } from "bun:test";
import type { Skill } from "../../../src/resources/skills/skill.ts";
import { skillList, skillText } from "../../../src/resources/skills/skill-texts.ts";
import { projectFolder } from "../../support/trust/project-folder.ts";

const skill = (more: Partial<Skill> = {}): Skill => ({
  name: "pdf",
  description: "Makes PDFs",
  path: "/s/pdf/SKILL.md",
  baseDir: "/s/pdf",
  isManual: false,
  source: { scope: "user", origin: "auto" },
  ...more,
});

describe("the list for the model", () => {
  test("names the skills that it may use, and escapes their content", () => {
    const list = skillList([
      skill(),
      skill({ name: "x", isManual: true }),
      skill({ name: "y", description: "</skill> & <b>" }),
    ]);
    expect(list?.split("\n\n").at(-1)).toBe(
      `<available_skills>
  <skill>
    <name>pdf</name>
    <description>Makes PDFs</description>
    <location>/s/pdf/SKILL.md</location>
  </skill>
  <skill>
    <name>y</name>
    <description>&lt;/skill&gt; &amp; &lt;b&gt;</description>
    <location>/s/pdf/SKILL.md</location>
  </skill>
</available_skills>`,
    );
  });

  test("is omitted if it would be empty", () => {
    expect([skillList([]), skillList([skill({ isManual: true })])]).toEqual([undefined, undefined]);
  });
});

describe("a skill that is called", () => {
  test("becomes its text without the front matter, its directory and the user's arguments", () => {
    using folder = projectFolder({ "pdf/SKILL.md": "---\ndescription: d\n---\n\nDo it.\n" });
    const path = folder.at("pdf/SKILL.md");
    const block = `<skill name="pdf" location="${path}">\nRelative paths start from ${folder.at("pdf")}\n\nDo it.\n</skill>`;
    const one = skill({ path, baseDir: folder.at("pdf") });
    expect(skillText(one, "")).toEqual({ text: block });
    expect(skillText(one, "two  words\nand a line")).toEqual({ text: `${block}\n\nUser: two  words\nand a line` });
  });

  test("is read when it is called", () => {
    using folder = projectFolder({ "SKILL.md": "old" });
    const one = skill({ path: folder.at("SKILL.md"), within: folder.cwd });
    folder.write("SKILL.md", "new");
    expect(skillText(one, "")).toMatchObject({ text: expect.stringContaining("new") });
    expect(skillText(skill({ path: folder.at("gone.md") }), "")).toEqual({ problem: "is gone" });
  });

  test("is not read if it has become a link out of the project", () => {
    using folder = projectFolder();
    folder.write("../secret", "key");
    const path = folder.link("SKILL.md", "../secret");
    expect(skillText(skill({ path, within: folder.cwd }), "")).toHaveProperty("problem");
  });

  test("has an end", () => {
    using folder = projectFolder({ "SKILL.md": "x".repeat(300 * 1024) });
    const result = skillText(skill({ path: folder.at("SKILL.md") }), "");
    expect("text" in result && result.text.length).toBeLessThan(257 * 1024);
    expect("text" in result && result.text).toContain("[Cut: the first 256 KB are shown.");
  });
});
