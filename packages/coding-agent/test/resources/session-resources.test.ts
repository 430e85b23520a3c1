import { describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Settings } from "../../src/config/settings.ts";
import { SessionResources, type SessionResourcesParts } from "../../src/resources/session-resources.ts";
import { type ProjectFolder, projectFolder } from "../trust/project-folder.ts";

const SKILL = "---\ndescription: d\n---\nBody";
const TOOLS = [{ name: "read" }];

function open(folder: ProjectFolder, more: Partial<SessionResourcesParts> = {}) {
  const warnings: string[] = [];
  const clock = { now: Date.UTC(2026, 0, 1, 12) };
  const settings = Settings.create(folder.cwd, folder.home);
  const resources = new SessionResources({
    home: folder.home,
    userHome: join(folder.root, "user"),
    settings,
    isTrusted: () => false,
    warn: (text) => void warnings.push(text.replaceAll(`${folder.root}/`, "")),
    now: () => clock.now,
    ...more,
  });
  const { cwd } = folder;
  return {
    ...{ resources, settings, warnings, clock },
    prompt: (tools: readonly { name: string }[] = TOOLS) => resources.systemPrompt(cwd, tools),
    expand: (text: string) => resources.expand(cwd, text),
    skills: async () => (await resources.load(cwd)).skills.map(({ name }) => name),
    commands: async () => (await resources.commands(cwd)).map(({ name }) => name),
  };
}

describe("places", () => {
  test("skills: project, its agents folders, user, settings, command line", async () => {
    using folder = projectFolder({
      "sub/.pintle/skills/a/SKILL.md": SKILL,
      "sub/.pintle/skills/single.md": SKILL,
      "sub/.agents/skills/b/SKILL.md": SKILL,
      "sub/.agents/skills/no.md": SKILL,
      ".agents/skills/c/SKILL.md": SKILL,
      "~/skills/d/SKILL.md": SKILL,
      "~/settings.json": '{"skills":["./more"]}',
      "~/more/f/SKILL.md": SKILL,
      "named/SKILL.md": SKILL,
    });
    folder.write("../user/.agents/skills/e/SKILL.md", SKILL);
    folder.write("../.agents/skills/above/SKILL.md", SKILL);
    mkdirSync(folder.at(".git"));
    const inside = { ...folder, cwd: folder.at("sub") };
    const { skills, warnings } = open(inside, { skillPaths: ["../named"] });
    expect(await skills()).toEqual(["single", "a", "b", "c", "d", "e", "f", "named"]);
    expect(warnings).toEqual([]);
    expect(await open(inside, { skillPaths: ["../named"], hasSkills: false }).skills()).toEqual(["named"]);
    const some = open(inside, { skillPaths: ["../named"], skillFilter: ["s*", "[bc]"] });
    expect(await some.skills()).toEqual(["single", "b", "c", "named"]);
  });

  test("templates: project before user, both folders, settings, command line", async () => {
    using folder = projectFolder({
      ".pintle/prompts/a.md": "project",
      ".pintle/commands/b.md": "x",
      "~/prompts/a.md": "user",
      "~/commands/c.md": "x",
      ".pintle/settings.json": '{"prompts":["../d.md"]}',
      "d.md": "x",
      "e.md": "x",
    });
    const { commands, expand } = open(folder, { templatePaths: ["e.md"] });
    expect(await commands()).toEqual(["a", "b", "c", "d", "e"]);
    expect(await expand("/a")).toBe("project");
    expect(await open(folder, { templatePaths: ["e.md"], hasTemplates: false }).commands()).toEqual(["e"]);
  });

  test("system files: the command line, then the project, then the user", async () => {
    using folder = projectFolder({
      ".pintle/SYSTEM.md": "project base",
      "~/SYSTEM.md": "user base",
      "~/APPEND_SYSTEM.md": "user more",
    });
    const one = open(folder, { appendSystemPrompt: ["flag more"] });
    expect(await one.prompt()).toStartWith("project base\n\nflag more\n\nuser more\n\nCurrent date");
    expect(await open(folder, { systemPrompt: "flag" }).prompt()).toStartWith("flag\n\nuser more\n\nCurrent date");
    folder.write(".pintle/SYSTEM.md", " \n");
    expect(await open(folder).prompt()).toStartWith("user base\n\n");
  });

  test("for someone who works in their home directory everything is the user's", async () => {
    using folder = projectFolder({ ".pintle/skills/a/SKILL.md": SKILL, ".pintle/prompts/p.md": "x" });
    const { resources } = open({ ...folder, home: folder.at(".pintle") }, { home: folder.at(".pintle") });
    const commands = await resources.commands(folder.cwd);
    expect(commands.map(({ name, from }) => [name, from?.scope])).toEqual([
      ["skill:a", "user"],
      ["p", "user"],
    ]);
  });

  test("context files and skill commands can be switched off", async () => {
    using folder = projectFolder({ "AGENTS.md": "CONTEXT", ".pintle/skills/a/SKILL.md": SKILL, ".git": "" });
    const on = open(folder);
    expect([await on.prompt(), await on.commands()]).toEqual([expect.stringContaining("CONTEXT"), ["skill:a"]]);
    const off = open(folder, { hasContextFiles: false });
    off.settings.override("enableSkillCommands", false);
    expect([await off.prompt(), await off.commands()]).toEqual([expect.not.stringContaining("CONTEXT"), []]);
    expect(await off.prompt()).toContain("<name>a</name>");
  });
});

describe("what leaves the project", () => {
  const LEAVES = "leads out of the project and is not used without consent";

  test("is not used without consent, wherever it is named", async () => {
    using folder = projectFolder({ ".git": "" });
    folder.write("../outside/SKILL.md", SKILL);
    folder.write("../outside/t.md", "secret");
    folder.write("../user/t.md", "secret");
    folder.write(
      ".pintle/settings.json",
      JSON.stringify({ skills: [join(folder.root, "outside"), "../../outside"], prompts: ["~/t.md", "../inside.md"] }),
    );
    folder.link(".pintle/SYSTEM.md", "../../outside/t.md");
    folder.link("AGENTS.md", "../outside/t.md");
    folder.link("inside.md", "../outside/t.md");
    const one = open(folder);
    expect([await one.skills(), await one.commands(), await one.prompt()]).toEqual([
      [],
      [],
      expect.not.stringContaining("secret"),
    ]);
    const named = "named by the project's settings, is not in the project and is not used without consent";
    expect(one.warnings).toEqual([
      `project/.pintle/SYSTEM.md: ${LEAVES}`,
      `project/AGENTS.md: ${LEAVES}`,
      `outside: ${named}`,
      `user/t.md: ${named}`,
      `project/inside.md: ${named}`,
    ]);
    const trusted = open(folder, { isTrusted: () => true });
    expect([await trusted.skills(), await trusted.commands()]).toEqual([["outside"], ["skill:outside", "t", "inside"]]);
    expect(await trusted.prompt()).toContain("secret");
  });

  test("the user's own settings may name anything", async () => {
    using folder = projectFolder();
    folder.write("../outside/SKILL.md", SKILL);
    folder.write("~/settings.json", JSON.stringify({ skills: [join(folder.root, "outside")] }));
    expect(await open(folder).skills()).toEqual(["outside"]);
  });
});

describe("a stable head", () => {
  test("the prompt is built once, and stays over midnight", async () => {
    using folder = projectFolder({ "AGENTS.md": "one", ".git": "" });
    const { prompt, clock, resources } = open(folder);
    expect(resources.builtSystemPrompt(folder.cwd)).toBeUndefined();
    const first = await prompt();
    clock.now += 86_400_000;
    folder.write("AGENTS.md", "two");
    expect([await prompt(), resources.builtSystemPrompt(folder.cwd)]).toEqual([first, first]);
    expect(resources.builtSystemPrompt(folder.home)).toBeUndefined();
  });

  test("and again when tools or directory change, or everything is read anew", async () => {
    using folder = projectFolder({ "AGENTS.md": "one", ".git": "", "sub/x": "" });
    const { prompt, resources } = open(folder);
    const first = await prompt();
    expect(await prompt([{ name: "read" }, { name: "edit" }])).not.toBe(first);
    expect(await prompt()).toBe(first);
    expect(await resources.systemPrompt(folder.at("sub"), TOOLS)).toEndWith("project/sub");
    folder.write("AGENTS.md", "two");
    resources.forget();
    expect(await prompt()).toContain("two");
  });

  test("consent brings in what was left out", async () => {
    using folder = projectFolder({ ".git": "" });
    folder.write("../outside.md", "SHARED");
    folder.link("AGENTS.md", "../outside.md");
    let isTrusted = false;
    const { prompt } = open(folder, { isTrusted: () => isTrusted });
    expect(await prompt()).not.toContain("SHARED");
    isTrusted = true;
    expect(await prompt()).toContain("SHARED");
  });

  test("rules are part of it", async () => {
    using folder = projectFolder({ ".git": "" });
    let content = "RULE";
    const rules = async () => ({ always: [{ name: "r", path: "/r", content }], listed: [] });
    const { prompt } = open(folder, { rules });
    expect(await prompt()).toContain("RULE");
    content = "OTHER";
    expect(await prompt()).toContain("OTHER");
  });
});

test("extensions may add paths", async () => {
  using folder = projectFolder({ "x/SKILL.md": SKILL, "t.md": "text", ".git": "" });
  const { resources, commands } = open(folder);
  expect(await commands()).toEqual([]);
  resources.setFurtherPaths({ skillPaths: [folder.at("x")], templatePaths: [folder.at("t.md")] });
  expect(await commands()).toEqual(["skill:x", "t"]);
});

test("a prompt that is no command is not looked at", async () => {
  using folder = projectFolder({ ".pintle/skills/a/SKILL.md": "no description" });
  const { expand, warnings } = open(folder);
  expect([await expand("hello /a"), warnings]).toEqual(["hello /a", []]);
  expect([await expand("/a b"), warnings.length]).toEqual(["/a b", 1]);
});

test("problems are told once, and not without end", async () => {
  using folder = projectFolder(
    Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`.pintle/skills/s${n}/SKILL.md`, "x"])),
  );
  const { prompt, skills, warnings } = open(folder);
  await prompt();
  await skills();
  expect([warnings.length, warnings.at(-1)]).toEqual([21, "10 more files of this kind have problems"]);
});
