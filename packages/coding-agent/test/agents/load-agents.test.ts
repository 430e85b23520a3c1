import { describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type AgentInput, loadAgents } from "../../src/agents/load-agents.ts";
import { type ProjectFolder, projectFolder } from "../support/trust/project-folder.ts";

const agent = (name: string, body = "") => `---\nname: ${name}\ndescription: About ${name}\n---\n${body}`;

const TRUSTED = { isTrusted: true, isTrustedContent: () => true };
const UNTRUSTED = { isTrusted: false, isTrustedContent: () => false };

function load(folder: ProjectFolder, input: Partial<AgentInput> = {}) {
  const warnings: string[] = [];
  const agents = loadAgents({
    cwd: folder.cwd,
    home: folder.home,
    userHome: userHome(folder),
    trust: TRUSTED,
    disabled: [],
    warn: (text) => warnings.push(text.replaceAll(folder.root, "")),
    ...input,
  });
  return { agents, warnings };
}

const userHome = ({ root }: ProjectFolder) => join(root, "user");

function writeAsUser(folder: ProjectFolder, path: string, content: string): string {
  const full = join(userHome(folder), path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, content);
  return full;
}

const names = ({ agents }: ReturnType<typeof load>) => agents.offered.map(({ name }) => name);

test("offers the built-in agents where nothing is defined, also under their other names", () => {
  using folder = projectFolder();
  const { agents, warnings } = load(folder);
  expect(agents.offered.map(({ name, source }) => [name, source])).toEqual([
    ["task", "bundled"],
    ["scout", "bundled"],
    ["reviewer", "bundled"],
  ]);
  expect(
    ["general", "general-purpose", "explore", "review", "scout", "nobody"].map((name) => agents.find(name)?.name),
  ).toEqual(["task", "task", "scout", "reviewer", "scout", undefined]);
  expect(warnings).toEqual([]);
});

test("the first definition of a name wins, in the order of the places", () => {
  using folder = projectFolder();
  const places: [string, (content: string) => unknown][] = [
    [".pintle/agents", (content) => folder.write(".pintle/agents/x.md", content)],
    [".omp/agents", (content) => folder.write(".omp/agents/x.md", content)],
    [".claude/agents", (content) => folder.write(".claude/agents/x.md", content)],
    ["home/agents", (content) => folder.write("~/agents/x.md", content)],
    ["user/.omp/agent/agents", (content) => writeAsUser(folder, ".omp/agent/agents/x.md", content)],
    ["user/.claude/agents", (content) => writeAsUser(folder, ".claude/agents/x.md", content)],
  ];
  for (const [place, write] of places.toReversed()) {
    write(agent("task", place));
    const { agents } = load(folder);
    expect(agents.find("general")?.prompt).toBe(place);
  }
  const { agents } = load(folder);
  expect(agents.unused.map(({ agent, why }) => [agent.prompt, why])).toEqual([
    ...places.slice(1).map(([place]) => [place, "shadowed"]),
    [expect.stringContaining("You are a subagent"), "shadowed"],
  ]);
});

test("a name of its own wins over the alias of a built-in agent", () => {
  using folder = projectFolder({ "~/agents/explore.md": agent("explore", "mine") });
  const { agents } = load(folder);
  expect([agents.find("explore")?.prompt, agents.find("scout")?.source]).toEqual(["mine", "bundled"]);
});

test("agents of the embedding program win over files", () => {
  using folder = projectFolder({ ".pintle/agents/a.md": agent("a", "file") });
  const given = [{ name: "a", description: "d", source: "user" as const, prompt: "given" }];
  expect(load(folder, { given }).agents.find("a")?.prompt).toBe("given");
});

describe("files of the project", () => {
  test("are withheld without consent, and hide no other definition", () => {
    using folder = projectFolder({ ".claude/agents/task.md": agent("task", "evil"), ".omp/agents/b.md": agent("b") });
    const loaded = load(folder, { trust: UNTRUSTED });
    expect(names(loaded)).toEqual(["task", "scout", "reviewer"]);
    expect(loaded.agents.find("task")?.source).toBe("bundled");
    expect(loaded.agents.unused.map(({ agent, why }) => [agent.name, why])).toEqual([
      ["b", "withheld"],
      ["task", "withheld"],
    ]);
  });

  test("take effect only with the content that was consented to", () => {
    using folder = projectFolder({ ".pintle/agents/a.md": agent("a"), ".pintle/agents/b.md": agent("b") });
    const isTrustedContent = (path: string, content: Uint8Array | string) =>
      path === folder.at(".pintle/agents/a.md") && content.toString() === agent("a");
    expect(names(load(folder, { trust: { isTrusted: true, isTrustedContent } }))).toEqual([
      "a",
      "task",
      "scout",
      "reviewer",
    ]);
  });

  test("a link out of the project is not used, and reported", () => {
    using folder = projectFolder();
    writeFileSync(join(folder.root, "outside.md"), agent("a"));
    folder.link(".pintle/agents/a.md", "../../../outside.md");
    const loaded = load(folder, { trust: { isTrusted: true, isTrustedContent: () => false } });
    expect(loaded.agents.unused.map(({ why }) => why)).toEqual(["withheld"]);
    expect(loaded.warnings).toEqual([
      "/project/.pintle/agents/a.md: links outside the project and is not used without your consent",
    ]);
  });

  test("in the home directory are the user's own, or belong to no project", () => {
    using folder = projectFolder();
    writeAsUser(folder, ".claude/agents/a.md", agent("a"));
    writeAsUser(folder, ".omp/agents/b.md", agent("b"));
    const loaded = load(folder, { cwd: userHome(folder), trust: UNTRUSTED });
    expect(loaded.agents.offered.map(({ name, source }) => [name, source])[0]).toEqual(["a", "user"]);
    expect(loaded.agents.unused).toEqual([]);
  });

  test("in pintle's own directory are the user's", () => {
    using folder = projectFolder({ ".pintle/agents/a.md": agent("a") });
    const loaded = load(folder, { home: folder.at(".pintle"), trust: UNTRUSTED });
    expect(loaded.agents.offered[0]).toMatchObject({ name: "a", source: "user" });
  });
});

test("disabled agents are not offered, whichever of their names is in the setting", () => {
  using folder = projectFolder({ "~/agents/a.md": agent("a") });
  const loaded = load(folder, { disabled: ["a", "explore"] });
  expect(names(loaded)).toEqual(["task", "reviewer"]);
  expect(loaded.agents.find("scout")).toBeUndefined();
  expect(loaded.agents.unused.map(({ agent, why }) => [agent.name, why])).toEqual([
    ["a", "disabled"],
    ["scout", "disabled"],
  ]);
});

test("each unusable file is reported once, with its path", () => {
  using folder = projectFolder({
    "~/agents/a.md": "no head",
    "~/agents/b.md": agent("b", "x".repeat(64 * 1024)),
    "~/agents/c.md": agent("c"),
    "~/agents/.hidden.md": "hidden",
    "~/agents/notes.txt": "no definition",
  });
  mkdirSync(join(folder.home, "agents", "folder.md"));
  symlinkSync(join(folder.home, "agents", "c.md"), join(folder.home, "agents", "again.md"));
  const loaded = load(folder);
  expect(names(loaded)).toEqual(["c", "task", "scout", "reviewer"]);
  expect(loaded.warnings).toEqual([
    "/home/agents/a.md: an agent needs a name; the file is not used",
    "/home/agents/b.md: is larger than 64 KB; the file is not used",
    "/home/agents/folder.md: is not a file; the file is not used",
  ]);
});
