import { describe, expect, test } from "bun:test";
import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { digestOf, sha256 } from "../../src/trust/covered-files.ts";
import { type Inventory, takeInventory } from "../../src/trust/inventory.ts";
import { type ProjectFolder, projectFolder } from "../support/trust/project-folder.ts";

const settings = (values: object) => JSON.stringify(values);

/** Kind, name and path relative to the project. */
function rows(folder: ProjectFolder, inventory: Inventory | undefined) {
  return inventory?.items.map(({ kind, name, path }) => [kind, name, path.replace(`${folder.cwd}/`, "")]);
}

describe("what is covered", () => {
  test("the programs of servers that lie in the project, by whatever words they are named", () => {
    using folder = projectFolder({
      "mcp.json": settings({
        mcpServers: {
          a: { command: "./bin/run.sh", args: ["data", "missing.js"] },
          b: { command: "node", args: ["--import=./hook.mjs", "server.js"], cwd: "tools" },
          c: { url: "http://127.0.0.1:1" },
          d: { command: ["no text"], args: "no list" },
        },
      }),
      "bin/run.sh": "1",
      "data/file": "2",
      "tools/server.js": "3",
      "tools/hook.mjs": "4",
      "unnamed.js": "5",
    });
    const names = () =>
      [...(takeInventory(folder)?.files.keys() ?? [])].map((path) => path.replace(`${folder.cwd}/`, ""));
    expect(names().sort()).toEqual(["bin/run.sh", "mcp.json", "tools/hook.mjs", "tools/server.js"]);
    const before = takeInventory(folder)?.digest;
    folder.write("tools/server.js", "swapped");
    expect(takeInventory(folder)?.digest).not.toBe(before);
  });

  test("everything that acts, each once", () => {
    using folder = projectFolder({
      ".pintle/extensions/gate.ts": "1",
      ".pintle/extensions/pack/package.json": "{}",
      ".pintle/tools/count/index.js": "2",
      ".pintle/tools/lib/helper.ts": "3",
      ".pintle/tools/README.md": "4",
      ".pintle/hooks/pre.js": "5",
      ".mcp.json": settings({ mcpServers: { files: { command: "npx", env: { TOKEN: "!pass show x" } } } }),
      ".pintle/settings.json": settings({
        shellCommandPrefix: "env",
        tools: { maxOutputBytes: 4096 },
        retry: { enabled: false },
        customTools: ["../scripts/tool.ts"],
        "trust.default": "ask",
      }),
      "scripts/tool.ts": "6",
    });
    const inventory = takeInventory(folder);
    expect(rows(folder, inventory)).toEqual([
      ["extension", "gate.ts", ".pintle/extensions/gate.ts"],
      ["extension", "pack", ".pintle/extensions/pack"],
      ["custom_tool", "count", ".pintle/tools/count"],
      ["hook", "pre.js", ".pintle/hooks/pre.js"],
      ["mcp_server", "files", ".mcp.json"],
      ["command", "files.env.TOKEN", ".mcp.json"],
      ["setting", "shellCommandPrefix", ".pintle/settings.json"],
      ["setting", "tools.maxOutputBytes", ".pintle/settings.json"],
      ["custom_tool", "../scripts/tool.ts", "scripts/tool.ts"],
    ]);
    expect(inventory).toMatchObject({ project: folder.cwd, reach: "content" });
    expect(inventory?.items[0]?.digest).toBe(sha256("1"));
    expect(inventory?.items[1]?.digest).toBe(
      digestOf([{ path: ".pintle/extensions/pack/package.json", sha256: sha256("{}") }]),
    );
    expect([...(inventory?.files.keys() ?? [])].map((path) => path.replace(`${folder.cwd}/`, "")).sort()).toEqual([
      ".mcp.json",
      ".pintle/extensions/gate.ts",
      ".pintle/extensions/pack/package.json",
      ".pintle/hooks/pre.js",
      ".pintle/settings.json",
      ".pintle/tools/README.md",
      ".pintle/tools/count/index.js",
      ".pintle/tools/lib/helper.ts",
      "scripts/tool.ts",
    ]);
  });

  test("every covered file is in the digest", () => {
    const files = {
      ".pintle/extensions/a.ts": "1",
      ".pintle/extensions/node_modules/x/i.js": "1",
      ".pintle/tools/a.ts": "1",
      ".pintle/hooks/a.ts": "1",
      "mcp.json": settings({ mcpServers: { a: {} } }),
      ".mcp.json": settings({ mcpServers: { b: {} } }),
      ".pintle/mcp.json": settings({ mcpServers: { c: {} } }),
      ".pintle/settings.json": settings({ shellPath: "./sh", extensions: ["../ext"] }),
      sh: "1",
      "ext/index.ts": "1",
    };
    using folder = projectFolder(files);
    const digests = [takeInventory(folder)?.digest];
    for (const [path, content] of Object.entries(files)) {
      folder.write(path, `${content} `);
      digests.push(takeInventory(folder)?.digest);
    }
    expect(new Set(digests).size).toBe(Object.keys(files).length + 1);
    expect(digests).not.toContain(undefined);
  });

  test.each([
    ["nothing at all", {}],
    [
      "texts for the model",
      { "AGENTS.md": "1", ".pintle/SYSTEM.md": "1", ".pintle/skills/a/SKILL.md": "1", ".pintle/rules/a.md": "1" },
    ],
    ["settings that count anyway", { ".pintle/settings.json": settings({ retry: { enabled: false }, skills: ["x"] }) }],
    [
      "settings that never count",
      { ".pintle/settings.json": settings({ "trust.default": "ask", baseUrl: "http://x" }) },
    ],
    ["no module in a folder", { ".pintle/tools/README.md": "1" }],
    ["servers in a file that is no JSON", { "mcp.json": "{" }],
  ])("%s: no consent is needed", (_what, files) => {
    using folder = projectFolder(files as Record<string, string>);
    expect(takeInventory(folder)).toBeUndefined();
  });

  test("a settings file without a claim may change freely", () => {
    using folder = projectFolder({
      ".pintle/tools/a.ts": "1",
      ".pintle/settings.json": settings({ retry: { enabled: true } }),
    });
    const before = takeInventory(folder)?.digest as string;
    folder.write(".pintle/settings.json", settings({ retry: { enabled: false } }));
    expect(takeInventory(folder)?.digest).toBe(before);
    folder.write(".pintle/settings.json", settings({ shellPath: "/bin/zsh" }));
    expect(takeInventory(folder)?.digest).not.toBe(before);
  });

  test("a shell of the system is a name, not a content", () => {
    using folder = projectFolder({ ".pintle/settings.json": settings({ shellPath: "/bin/sh" }) });
    expect([...(takeInventory(folder)?.files.keys() ?? [])]).toEqual([folder.at(".pintle/settings.json")]);
  });
});

describe("whose it is", () => {
  test("pintle's own directory is the user's, also for someone who works in their home directory", () => {
    using folder = projectFolder({
      ".pintle/extensions/a.ts": "1",
      ".pintle/settings.json": settings({ shellPath: "/x" }),
    });
    expect(takeInventory({ cwd: folder.cwd, home: folder.at(".pintle") })).toBeUndefined();
    symlinkSync(folder.at(".pintle"), join(folder.root, "link"));
    expect(takeInventory({ cwd: folder.cwd, home: join(folder.root, "link") })).toBeUndefined();
  });

  test("and so is its own list of servers, for someone who works in there", () => {
    using folder = projectFolder({ "~/mcp.json": settings({ mcpServers: { a: {} } }) });
    expect(takeInventory({ cwd: folder.home, home: folder.home })).toBeUndefined();
  });

  test("a project is known by its real path", () => {
    using folder = projectFolder({ ".pintle/tools/a.ts": "1" });
    symlinkSync(folder.cwd, join(folder.root, "link"));
    const direct = takeInventory(folder);
    expect(takeInventory({ cwd: join(folder.root, "link"), home: folder.home })).toEqual(direct as Inventory);
  });

  test("a directory that is gone has nothing", () => {
    using folder = projectFolder();
    expect(takeInventory({ cwd: folder.at("gone"), home: folder.home })).toBeUndefined();
  });
});

describe("agents", () => {
  test("of all three folders need consent, each by its content", () => {
    using folder = projectFolder({
      ".pintle/agents/a.md": "1",
      ".omp/agents/b.md": "2",
      ".claude/agents/c.md": "3",
      ".claude/agents/notes.txt": "4",
      ".claude/settings.json": "{}",
    });
    const before = takeInventory(folder);
    expect(rows(folder, before)).toEqual([
      ["agent", "a.md", ".pintle/agents/a.md"],
      ["agent", "b.md", ".omp/agents/b.md"],
      ["agent", "c.md", ".claude/agents/c.md"],
    ]);
    folder.write(".claude/agents/notes.txt", "5");
    expect(takeInventory(folder)?.digest).toBe(before?.digest as string);
    folder.write(".claude/agents/c.md", "5");
    expect(takeInventory(folder)?.digest).not.toBe(before?.digest);
  });

  test("that lie outside the project do not prevent consent to the rest", () => {
    using folder = projectFolder({ ".pintle/tools/a.ts": "1", "../shared/agents/b.md": "2" });
    folder.link(".claude", "../shared");
    expect(rows(folder, takeInventory(folder))).toEqual([["custom_tool", "a.ts", ".pintle/tools/a.ts"]]);
    expect(takeInventory(folder)).toMatchObject({ reach: "content" });
  });

  test("of the user are not a project's", () => {
    using folder = projectFolder({ ".claude/agents/a.md": "1", ".pintle/agents/b.md": "2" });
    expect(takeInventory({ ...folder, userHome: folder.cwd })).toBeUndefined();
    expect(rows(folder, takeInventory({ cwd: folder.cwd, home: folder.at(".pintle") }))).toEqual([
      ["agent", "a.md", ".claude/agents/a.md"],
    ]);
  });
});

describe("how far consent goes", () => {
  test("a link out of the project: not at all", () => {
    using folder = projectFolder({ ".pintle/tools/a.ts": "1" });
    folder.write("../outside.ts", "");
    folder.link(".pintle/tools/b.ts", "../../../outside.ts");
    expect(takeInventory(folder)).toMatchObject({
      reach: "nobody",
      obstacle: ".pintle/tools/b.ts links outside the project",
    });
  });

  test("the folder itself may be such a link", () => {
    using folder = projectFolder();
    folder.write("../shared/tools/a.ts", "1");
    folder.link(".pintle", "../shared");
    expect(takeInventory(folder)).toMatchObject({
      reach: "nobody",
      obstacle: ".pintle/tools links outside the project",
    });
  });

  test("more than can be looked at: this process", () => {
    using folder = projectFolder({ ".pintle/tools/a.ts": "1", ".pintle/tools/b.ts": "1" });
    const limits = { maxEntries: 2, maxBytes: 1000 };
    expect(takeInventory({ ...folder, limits })).toMatchObject({ reach: "process" });
    const { digest } = takeInventory({ ...folder, limits }) as Inventory;
    rmSync(folder.at(".pintle/tools/b.ts"));
    expect(takeInventory({ ...folder, limits })).toMatchObject({ reach: "content" });
    expect(takeInventory({ ...folder, limits })?.digest).not.toBe(digest);
  });
});

test("names do nothing to a terminal", () => {
  using folder = projectFolder({ ".pintle/tools/\u001b[2J\u202eevil\n.ts": "1" });
  expect(takeInventory(folder)?.items).toMatchObject([{ name: "?[2J?evil?.ts" }]);
});

test("a list has an end, and says so", () => {
  using folder = projectFolder(
    Object.fromEntries(Array.from({ length: 205 }, (_, n) => [`.pintle/tools/t${n}.ts`, "1"])),
  );
  const items = takeInventory(folder)?.items ?? [];
  expect([items.length, items.at(-1)?.name]).toEqual([201, "t95.ts and 4 more"]);
});

test("servers nested deeper than anything that is read do no harm", () => {
  using folder = projectFolder({ "mcp.json": `{"mcpServers":{"a":${'{"x":'.repeat(3000)}"!rm"${"}".repeat(3000)}}}` });
  expect(takeInventory(folder)?.items.map(({ name }) => name)).toEqual(["a"]);
});
