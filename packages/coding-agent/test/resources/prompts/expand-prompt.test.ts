import { describe, expect, test } from "bun:test";
import { expandPrompt } from "../../../src/resources/prompts/expand-prompt.ts";
import type { PromptTemplate } from "../../../src/resources/prompts/find-templates.ts";
import type { Skill } from "../../../src/resources/skills/skill.ts";
import { projectFolder } from "../../support/trust/project-folder.ts";

const source = { scope: "user", origin: "auto" } as const;
const template = (name: string, text: string): PromptTemplate => ({
  name,
  description: "",
  text,
  path: `/${name}.md`,
  source,
});

function expand(text: string, skills: Skill[] = [], hasSkillCommands = true) {
  const templates = [template("fix", "Fix $1, then $@"), template("skill:none", "a template")];
  const warnings: string[] = [];
  return {
    text: expandPrompt(text, { skills, templates, hasSkillCommands }, (warning) => warnings.push(warning)),
    warnings,
  };
}

describe("expandPrompt", () => {
  test.each([
    ["/fix a.ts b.ts", "Fix a.ts, then a.ts b.ts"],
    ["/fix", "Fix , then "],
    ["/fixx a", "/fixx a"],
    ["/unknown x", "/unknown x"],
    ["please /fix a", "please /fix a"],
    ["/skill:gone x", "/skill:gone x"],
    ["/skill:none", "a template"],
    ["/usr/bin/env is there", "/usr/bin/env is there"],
  ])("%j becomes %j", (text, expected) => {
    expect(expand(text)).toEqual({ text: expected, warnings: [] });
  });

  test("a skill becomes its text, unless skills are not commands", () => {
    using folder = projectFolder({ "SKILL.md": "Do /fix $1" });
    const skill = {
      name: "s",
      description: "d",
      path: folder.at("SKILL.md"),
      baseDir: folder.cwd,
      isManual: true,
      source,
    };
    const { text } = expand("/skill:s now", [skill]);
    expect(text).toContain("\n\nDo /fix $1\n</skill>\n\nUser: now");
    expect(expand("/skill:s now", [skill], false).text).toBe("/skill:s now");
  });

  test("keeps the text of a call to a missing skill, with a warning", () => {
    const skill = {
      name: "s",
      description: "d",
      path: "/nowhere/SKILL.md",
      baseDir: "/nowhere",
      isManual: false,
      source,
    };
    expect(expand("/skill:s x", [skill])).toEqual({ text: "/skill:s x", warnings: ["/nowhere/SKILL.md: is gone"] });
  });
});
