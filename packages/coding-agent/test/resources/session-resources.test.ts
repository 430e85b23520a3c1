import { describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { Settings } from "../../src/config/settings/settings.ts";
import { SessionResources, type SessionResourcesParts } from "../../src/resources/session-resources.ts";
import type { PromptTool } from "../../src/resources/system-prompt/system-prompt.ts";
import { type ProjectFolder, projectFolder } from "../support/trust/project-folder.ts";

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
    resources,
    settings,
    warnings,
    clock,
    prompt: (tools: readonly PromptTool[] = TOOLS) => resources.systemPrompt(cwd, tools),
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
    expect(await one.prompt()).toStartWith("project base\n\nflag more\n\nuser more\n\nOperating system: ");
    expect(await open(folder, { systemPrompt: "flag" }).prompt()).toStartWith(
      "flag\n\nuser more\n\nOperating system: ",
    );
    folder.write(".pintle/SYSTEM.md", " \n");
    expect(await open(folder).prompt()).toStartWith("user base\n\n");
  });

  test("in the home directory, everything belongs to the user", async () => {
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
  const LEAVES = "links outside the project and is not used without your consent";

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
    const named = "the project's settings name it, but it is outside the project and is not used without your consent";
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

describe("a stable prompt", () => {
  test("builds the prompt once and keeps it past midnight", async () => {
    using folder = projectFolder({ "AGENTS.md": "one", ".git": "" });
    const { prompt, clock, resources } = open(folder);
    expect(resources.builtSystemPrompt(folder.cwd)).toBeUndefined();
    const first = await prompt();
    clock.now += 86_400_000;
    folder.write("AGENTS.md", "two");
    expect([await prompt(), resources.builtSystemPrompt(folder.cwd)]).toEqual([first, first]);
    expect(resources.builtSystemPrompt(folder.home)).toBeUndefined();
  });

  test("builds it again if tools or directory change, or after a reload", async () => {
    using folder = projectFolder({ "AGENTS.md": "one", ".git": "", "sub/x": "" });
    const { prompt, resources } = open(folder);
    const first = await prompt();
    expect(await prompt([{ name: "read" }, { name: "edit" }])).not.toBe(first);
    expect(await prompt()).toBe(first);
    expect(await resources.systemPrompt(folder.at("sub"), TOOLS)).toContain("project/sub\n");
    folder.write("AGENTS.md", "two");
    resources.forget();
    expect(await prompt()).toContain("two");
  });

  test("consent adds what was omitted", async () => {
    using folder = projectFolder({ ".git": "" });
    folder.write("../outside.md", "SHARED");
    folder.link("AGENTS.md", "../outside.md");
    let isTrusted = false;
    const { prompt } = open(folder, { isTrusted: () => isTrusted });
    expect(await prompt()).not.toContain("SHARED");
    isTrusted = true;
    expect(await prompt()).toContain("SHARED");
  });

  test("rules are part of it, read again with everything else", async () => {
    using folder = projectFolder({ ".git": "" });
    let content = "RULE";
    const rules = async () => ({ always: [{ name: "r", path: "/r", content }], listed: [] });
    const { prompt, resources } = open(folder, { rules });
    expect(await prompt()).toContain("RULE");
    content = "OTHER";
    expect(await prompt()).toContain("RULE");
    resources.forget();
    expect(await prompt()).toContain("OTHER");
  });
});

describe("what extensions add", () => {
  const NONE = { skillPaths: [], promptPaths: [] };

  test("comes last, is requested once per directory, and is read again with a reload", async () => {
    using folder = projectFolder({
      "x/SKILL.md": SKILL,
      "y/SKILL.md": SKILL,
      "t.md": "text",
      ".pintle/skills/own/SKILL.md": SKILL,
      "sub/z": "",
      ".git": "",
    });
    const asked: string[] = [];
    let skillPaths = [folder.at("x"), folder.at("x"), "y/SKILL.md"];
    const { resources, commands, expand } = open(folder);
    expect(await commands()).toEqual(["skill:own"]);
    resources.discoverWith(async (reason) => {
      asked.push(reason);
      return { skillPaths, promptPaths: [folder.at("t.md")] };
    });
    const [one, other] = await Promise.all([commands(), commands()]);
    expect([one, other]).toEqual(Array(2).fill(["skill:own", "skill:x", "skill:y", "t"]));
    expect([await expand("/t"), asked]).toEqual(["text", ["startup"]]);
    await resources.commands(folder.at("sub"));
    expect(asked).toEqual(["startup", "startup"]);
    skillPaths = [];
    resources.forget();
    expect([await commands(), asked]).toEqual([
      ["skill:own", "t"],
      ["startup", "startup", "reload"],
    ]);
  });

  test("can be listed without what the user named", async () => {
    using folder = projectFolder({ "x/SKILL.md": SKILL, "y/SKILL.md": SKILL, "t.md": "", "u.md": "", ".git": "" });
    const discover = async () => ({ skillPaths: [folder.at("x")], promptPaths: [folder.at("t.md")] });
    const named = { skillPaths: ["y"], templatePaths: ["u.md"] };
    const all = open(folder, named);
    all.resources.discoverWith(discover);
    const rows = (await all.resources.commands(folder.cwd)).map(({ name, from }) => [name, from?.scope, from?.origin]);
    expect(rows).toEqual([
      ["skill:y", "temporary", "named"],
      ["skill:x", "temporary", "extension"],
      ["u", "temporary", "named"],
      ["t", "temporary", "extension"],
    ]);
    const none = open(folder, { ...named, hasSkills: false, hasTemplates: false });
    none.resources.discoverWith(discover);
    expect(await none.commands()).toEqual(["skill:y", "u"]);
    const some = open(folder, { skillFilter: ["nothing*"] });
    some.resources.discoverWith(discover);
    expect(await some.commands()).toEqual(["t"]);
  });

  test("does not change a prompt if there is nothing to add", async () => {
    using folder = projectFolder({ ".git": "" });
    const { prompt, resources } = open(folder);
    const before = await prompt();
    resources.discoverWith(async () => NONE);
    expect(await prompt()).toBe(before);
    resources.discoverWith(async () => ({ ...NONE, skillPaths: [folder.at("no-such")] }));
    expect(await prompt()).toBe(before);
  });

  test("a missing path is reported, once", async () => {
    using folder = projectFolder({ ".git": "" });
    const { prompt, resources, warnings } = open(folder);
    resources.discoverWith(async () => ({ skillPaths: ["no-such"], promptPaths: ["nor-this.md"] }));
    await prompt();
    resources.discoverWith(async () => ({ skillPaths: ["no-such"], promptPaths: [] }));
    await prompt();
    expect(warnings).toEqual([
      "project/no-such: no such file or folder",
      "project/nor-this.md: no such file or folder",
    ]);
    resources.forget();
    await prompt();
    expect(warnings).toHaveLength(3);
  });
});

describe("what extensions receive", () => {
  const TOOLS_WITH_TEXTS = [
    { name: "edit", promptGuidelines: ["Twice"] },
    { name: "read", promptSnippet: "Reads", promptGuidelines: ["Twice", "Once"] },
  ];

  test("is the parts of the prompt", async () => {
    using folder = projectFolder({
      ".git": "",
      "AGENTS.md": "CONTEXT",
      ".pintle/SYSTEM.md": "BASE",
      "~/APPEND_SYSTEM.md": "MORE",
      ".pintle/skills/a/SKILL.md": "---\ndescription: d\ndisable-model-invocation: true\n---\nBody",
    });
    const { resources } = open(folder, { appendSystemPrompt: ["FLAG"] });
    const path = folder.at(".pintle/skills/a/SKILL.md");
    const options = await resources.promptOptions(folder.cwd, TOOLS_WITH_TEXTS);
    expect(options).toEqual({
      customPrompt: "BASE",
      selectedTools: ["edit", "read"],
      hiddenTools: [],
      toolSnippets: { read: "Reads" },
      toolGuidelines: { edit: ["Twice"], read: ["Twice", "Once"] },
      promptGuidelines: ["Twice", "Once"],
      appendSystemPrompt: "FLAG\n\nMORE",
      sections: {},
      cwd: folder.cwd,
      contextFiles: [{ path: folder.at("AGENTS.md"), content: "CONTEXT" }],
      skills: [
        {
          name: "a",
          description: "d",
          filePath: path,
          baseDir: dirname(path),
          disableModelInvocation: true,
          sourceInfo: { path, source: "auto", scope: "project", origin: "top-level" },
        },
      ],
    });
    options.skills.length = 0;
    options.contextFiles[0]!.content = "spoiled";
    const again = await resources.promptOptions(folder.cwd, TOOLS_WITH_TEXTS);
    expect([again.skills.length, again.contextFiles[0]!.content]).toEqual([1, "CONTEXT"]);
  });

  test("omits missing parts, and contains the text that a function returned", async () => {
    using folder = projectFolder({ ".git": "" });
    expect(Object.keys(await open(folder).resources.promptOptions(folder.cwd, []))).toEqual([
      "selectedTools",
      "hiddenTools",
      "toolSnippets",
      "toolGuidelines",
      "promptGuidelines",
      "appendSystemPrompt",
      "sections",
      "cwd",
      "contextFiles",
      "skills",
    ]);
    const { resources } = open(folder, { systemPrompt: (builtin) => builtin.slice(0, 14) });
    expect((await resources.promptOptions(folder.cwd, [])).customPrompt).toBe("You are pintle");
  });
});

describe("the head of every request", () => {
  const tool = fc.record(
    {
      name: fc.constantFrom("read", "edit", "bash", "x", "y"),
      promptSnippet: fc.string(),
      promptGuidelines: fc.array(fc.string(), { maxLength: 3 }),
    },
    { requiredKeys: ["name"] },
  );
  const toolSet = fc.uniqueArray(tool, { selector: ({ name }) => name, maxLength: 4 });

  test("is the same whenever the tools are the same, whatever happened in between", async () => {
    using folder = projectFolder({ ".git": "", "AGENTS.md": "CONTEXT", ".pintle/skills/a/SKILL.md": SKILL });
    await fc.assert(
      fc.asyncProperty(fc.array(toolSet, { minLength: 1, maxLength: 6 }), async (sets) => {
        const { prompt, clock, resources } = open(folder);
        const first = await prompt(sets[0]);
        for (const tools of sets) {
          // Copies, because an equal list counts as the same set whichever code created it.
          const text = await prompt(structuredClone(tools));
          clock.now += 1_000_000;
          resources.builtSystemPrompt(folder.home);
          await resources.commands(folder.cwd);
          await resources.promptOptions(folder.cwd, []);
          expect(await prompt(structuredClone(tools))).toBe(text);
        }
        const one = open(folder);
        expect(await one.prompt(sets[0])).toBe(first);
      }),
      { numRuns: 40 },
    );
  });
});

test("ignores a prompt that is not a command", async () => {
  using folder = projectFolder({ ".pintle/skills/a/SKILL.md": "no description" });
  const { expand, warnings } = open(folder);
  expect([await expand("hello /a"), warnings]).toEqual(["hello /a", []]);
  expect([await expand("/a b"), warnings.length]).toEqual(["/a b", 1]);
});

test("reports problems once, up to a limit", async () => {
  using folder = projectFolder(
    Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`.pintle/skills/s${n}/SKILL.md`, "x"])),
  );
  const { prompt, skills, warnings } = open(folder);
  await prompt();
  await skills();
  expect([warnings.length, warnings.at(-1)]).toEqual([21, "10 more files of this kind have problems"]);
});

test("a prompt requested after a reset is never one whose construction started before", async () => {
  using folder = projectFolder({ "AGENTS.md": "old words" });
  const waiting = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const { resources, prompt } = open(folder, {
    async rules() {
      begun.resolve();
      await waiting.promise;
      return { always: [], listed: [] };
    },
  });
  const before = prompt();
  await begun.promise;
  folder.write("AGENTS.md", "new words");
  resources.forget();
  const after = prompt();
  waiting.resolve();
  expect(await before).toContain("old words");
  expect(await after).toContain("new words");
});
