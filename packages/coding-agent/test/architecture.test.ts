import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { folderCycles } from "./support/folder-cycles.ts";

const root = resolve(import.meta.dir, "../../..");

/** A part of the source and what it may import in addition to itself. Order and names as in docs/architecture.md. */
const LAYERS: readonly { part: string; path: string; mayUse: readonly string[] }[] = [
  // Bundled into the engine and published with the client, which depends on no package.
  { part: "partial json", path: "packages/client/src/core/partial-json.ts", mayUse: [] },
  { part: "ai", path: "packages/ai/src/", mayUse: ["partial json"] },
  { part: "agent", path: "packages/agent/src/", mayUse: ["ai"] },
  { part: "wire", path: "packages/wire/src/", mayUse: ["ai", "agent"] },
  { part: "foundation", path: "packages/foundation/src/", mayUse: ["ai"] },
  { part: "storage", path: "packages/storage/src/", mayUse: ["wire", "ai", "agent", "foundation"] },
  { part: "exec", path: "packages/exec/src/", mayUse: ["wire", "ai", "foundation"] },
  {
    part: "config",
    path: "packages/coding-agent/src/config/",
    mayUse: ["wire", "ai", "agent", "foundation", "permissions", "exec"],
  },
  {
    part: "permissions",
    path: "packages/coding-agent/src/permissions/",
    mayUse: ["wire", "ai", "agent", "foundation", "exec"],
  },
  { part: "highlight", path: "packages/highlight/src/", mayUse: [] },
  { part: "page", path: "packages/page/", mayUse: ["highlight", "client core", "client protocol"] },
  { part: "client core", path: "packages/client/src/core/", mayUse: ["client protocol", "partial json"] },
  { part: "client protocol", path: "packages/client/src/protocol.ts", mayUse: [] },
  { part: "client", path: "packages/client/src/", mayUse: ["client core", "client protocol"] },
  { part: "gateway", path: "packages/gateway/src/", mayUse: ["wire", "ai", "client core", "client protocol"] },
  { part: "cluster", path: "packages/cluster/src/", mayUse: ["wire", "ai", "gateway"] },
  { part: "acp", path: "packages/acp/src/", mayUse: ["wire", "ai", "gateway", "client core"] },
  {
    part: "terminal",
    path: "packages/terminal/src/",
    mayUse: ["highlight", "page", "client", "client core", "client protocol"],
  },
  { part: "conformance", path: "packages/conformance/src/", mayUse: [] },
  { part: "simulator", path: "packages/simulator/src/", mayUse: ["ai"] },
  { part: "schemas", path: "packages/coding-agent/src/schemas/", mayUse: ["ai", "foundation"] },
  { part: "version", path: "packages/coding-agent/src/version.ts", mayUse: [] },
  { part: "traces", path: "packages/coding-agent/src/traces/", mayUse: ["wire", "ai", "config", "foundation"] },
  { part: "trust", path: "packages/coding-agent/src/trust/", mayUse: ["wire", "ai", "agent", "config", "foundation"] },
  {
    part: "resources",
    path: "packages/coding-agent/src/resources/",
    mayUse: ["ai", "agent", "config", "foundation", "rules", "tools", "trust", "exec"],
  },
  {
    part: "mcp",
    path: "packages/coding-agent/src/mcp/",
    mayUse: [
      "wire",
      "storage",
      "ai",
      "agent",
      "config",
      "foundation",
      "exec",
      "resources",
      "schemas",
      "traces",
      "tools",
      "trust",
    ],
  },
  {
    part: "export",
    path: "packages/coding-agent/src/export/",
    mayUse: ["wire", "ai", "agent", "config", "foundation", "page", "session", "storage", "subagents", "tools"],
  },
  { part: "file changes", path: "packages/coding-agent/src/file-changes/", mayUse: ["wire", "foundation"] },
  {
    part: "checkpoints",
    path: "packages/coding-agent/src/checkpoints/",
    mayUse: ["wire", "ai", "foundation", "storage", "file changes"],
  },
  {
    part: "previews",
    path: "packages/coding-agent/src/previews/",
    mayUse: ["wire", "ai", "agent", "file changes", "foundation"],
  },
  { part: "replay", path: "packages/coding-agent/src/replay/", mayUse: ["ai", "foundation"] },
  { part: "rules", path: "packages/coding-agent/src/rules/", mayUse: ["ai", "agent", "foundation", "tools"] },
  {
    part: "compaction",
    path: "packages/coding-agent/src/compaction/",
    mayUse: ["wire", "ai", "agent", "config", "storage", "tools", "foundation"],
  },
  { part: "todos", path: "packages/coding-agent/src/todos/", mayUse: ["wire", "ai", "agent", "foundation"] },
  {
    part: "jobs",
    path: "packages/coding-agent/src/jobs/",
    mayUse: ["wire", "ai", "agent", "exec", "storage"],
  },
  {
    part: "tools",
    path: "packages/coding-agent/src/tools/",
    mayUse: [
      "jobs",
      "traces",
      "permissions",
      "wire",
      "ai",
      "agent",
      "config",
      "foundation",
      "exec",
      "file changes",
      "previews",
      "schemas",
      "todos",
    ],
  },
  {
    part: "worktrees",
    path: "packages/coding-agent/src/worktrees/",
    mayUse: [
      "wire",
      "ai",
      "agent",
      "exec",
      "file changes",
      "foundation",
      "previews",
      "resources",
      "subagents",
      "tools",
    ],
  },
  {
    part: "agents",
    path: "packages/coding-agent/src/agents/",
    mayUse: ["wire", "ai", "config", "foundation", "resources", "tools", "trust"],
  },
  {
    part: "subagents",
    path: "packages/coding-agent/src/subagents/",
    mayUse: [
      "wire",
      "ai",
      "agent",
      "agents",
      "config",
      "exec",
      "foundation",
      "jobs",
      "previews",
      "schemas",
      "storage",
      "tools",
    ],
  },
  {
    part: "session",
    path: "packages/coding-agent/src/session/",
    mayUse: [
      "agents",
      "subagents",
      "checkpoints",
      "jobs",
      "schemas",
      "wire",
      "ai",
      "agent",
      "compaction",
      "config",
      "foundation",
      "mcp",
      "permissions",
      "exec",
      "file changes",
      "previews",
      "resources",
      "rules",
      "todos",
      "storage",
      "tools",
      "traces",
      "trust",
    ],
  },
  {
    part: "sdk",
    path: "packages/coding-agent/src/sdk/",
    mayUse: [
      "agents",
      "subagents",
      "wire",
      "foundation",
      "permissions",
      "schemas",
      "ai",
      "agent",
      "config",
      "exec",
      "version",
      "session",
      "storage",
      "tools",
      "previews",
      "extensibility",
      "replay",
      "mcp",
      "resources",
      "traces",
      "trust",
      "worktrees",
    ],
  },
  {
    part: "command line",
    path: "packages/coding-agent/src/cli/",
    mayUse: ["wire", "ai", "agent", "config", "foundation", "permissions", "sdk", "trust"],
  },
  {
    part: "extensibility",
    path: "packages/coding-agent/src/extensibility/",
    mayUse: [
      "wire",
      "ai",
      "agent",
      "compaction",
      "config",
      "foundation",
      "schemas",
      "session",
      "storage",
      "exec",
      "file changes",
      "previews",
      "resources",
      "tools",
      "trust",
    ],
  },
  { part: "frames", path: "packages/coding-agent/src/modes/frames/", mayUse: ["wire", "ai", "agent", "foundation"] },
  {
    part: "rpc",
    path: "packages/coding-agent/src/modes/rpc/",
    mayUse: [
      "mcp",
      "permissions",
      "wire",
      "ai",
      "agent",
      "config",
      "session",
      "storage",
      "sdk",
      "extensibility",
      "frames",
      "schemas",
      "exec",
      "previews",
      "todos",
      "resources",
      "traces",
      "trust",
      "export",
      "foundation",
    ],
  },
  {
    part: "print",
    path: "packages/coding-agent/src/modes/print/",
    mayUse: ["jobs", "wire", "ai", "agent", "config", "foundation", "session", "storage", "sdk", "command line"],
  },
  {
    part: "json",
    path: "packages/coding-agent/src/modes/json-mode.ts",
    mayUse: [
      "jobs",
      "wire",
      "ai",
      "agent",
      "config",
      "session",
      "storage",
      "sdk",
      "command line",
      "frames",
      "foundation",
    ],
  },
  {
    part: "doctor",
    path: "packages/coding-agent/src/doctor/",
    mayUse: ["ai", "config", "extensibility", "foundation", "mcp", "exec", "trust"],
  },
  {
    part: "commands",
    path: "packages/coding-agent/src/commands/",
    mayUse: [
      "wire",
      "ai",
      "agent",
      "config",
      "foundation",
      "session",
      "checkpoints",
      "storage",
      "sdk",
      "main",
      "version",
      "command line",
      "extensibility",
      "frames",
      "rpc",
      "print",
      "json",
      "trust",
      "export",
      "mcp",
      "doctor",
      "traces",
      "gateway",
      "acp",
      "cluster",
      "page",
      "simulator",
      "terminal",
      "client",
      "client core",
      "client protocol",
    ],
  },
  {
    part: "embed",
    path: "packages/coding-agent/src/embed/",
    mayUse: [
      "wire",
      "config",
      "session",
      "sdk",
      "command line",
      "extensibility",
      "frames",
      "rpc",
      "version",
      "main",
      "client",
      "client core",
      "foundation",
    ],
  },
  {
    part: "main",
    path: "packages/coding-agent/src/",
    mayUse: [
      "wire",
      "embed",
      "client core",
      "ai",
      "agent",
      "config",
      "session",
      "storage",
      "sdk",
      "command line",
      "commands",
      "extensibility",
      "file changes",
      "previews",
      "foundation",
    ],
  },
];

/** The npm packages that the packages which run anywhere may import. */
const PURE_DEPENDENCIES: Record<string, readonly string[]> = {
  ai: ["eventsource-parser", "typebox"],
  agent: ["typebox", "typebox/schema", "typebox/system"],
  wire: [],
  highlight: ["highlight.js"],
  page: ["diff", "marked"],
};

interface Import {
  from: string;
  target: string;
  isTypeOnly: boolean;
}

const WORKSPACES: Record<string, string> = {
  "@pintle/ai": "packages/ai/src/index.ts",
  "@pintle/ai/schemas": "packages/ai/src/schemas.ts",
  "@pintle/ai/type": "packages/ai/src/type.ts",
  "@pintle/agent": "packages/agent/src/index.ts",
  "@pintle/agent/schemas": "packages/agent/src/schemas.ts",
  "@pintle/wire": "packages/wire/src/index.ts",
  "@pintle/wire/schemas": "packages/wire/src/schemas.ts",
  "@pintle/foundation": "packages/foundation/src/index.ts",
  "@pintle/foundation/left-behind": "packages/foundation/src/files/left-behind.ts",
  "@pintle/storage": "packages/storage/src/index.ts",
  "@pintle/exec": "packages/exec/src/index.ts",
  "@pintle/exec/layers": "packages/exec/src/layers/index.ts",
  "@pintle/exec/native": "packages/exec/src/native/index.ts",
  "@pintle/exec/processes": "packages/exec/src/processes/index.ts",
  "@pintle/exec/sandbox": "packages/exec/src/sandbox/index.ts",
  "@pintle/client/core": "packages/client/src/core/index.ts",
  "@pintle/client/partial-json": "packages/client/src/core/partial-json.ts",
  "@pintle/client": "packages/client/src/index.ts",
  "@pintle/gateway": "packages/gateway/src/index.ts",
  "@pintle/acp": "packages/acp/src/index.ts",
  "@pintle/gateway/cluster": "packages/gateway/src/cluster-api.ts",
  "@pintle/cluster": "packages/cluster/src/index.ts",
  "@pintle/terminal": "packages/terminal/src/index.ts",
  "@pintle/simulator": "packages/simulator/src/index.ts",
  "@pintle/highlight": "packages/highlight/src/index.ts",
  "@pintle/highlight/highlighter": "packages/highlight/src/highlighter.ts",
  "@pintle/highlight/page-highlighter": "packages/highlight/src/page-highlighter.ts",
  "@pintle/highlight/print-grammars": "packages/highlight/print-grammars.ts",
  "@pintle/highlight/languages": "packages/highlight/src/languages.ts",
  "@pintle/page": "packages/page/src/page-data.ts",
  "@pintle/page/diff": "packages/page/src/code/parse-diff.ts",
  "@pintle/page/chosen-parts": "packages/page/src/code/chosen-parts.ts",
  "@pintle/page/markdown": "packages/page/src/markdown/markdown-text.ts",
  "@pintle/page/reading": "packages/page/src/reading/index.ts",
  "@pintle/page/bundle": "packages/page/bundle.ts",
};

function sourceFiles(): string[] {
  return readdirSync(join(root, "packages"), { recursive: true, encoding: "utf8" })
    .map((path) => `packages/${path}`)
    .filter((path) => /^packages\/[^/]+\/src\/.*\.ts$/.test(path));
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), "utf8");
  const pattern =
    /^\s*(?:import|export)\s+(type\s+)?[^"';]*?from\s+"([^"]+)"|^import\s+"([^"]+)"|\bimport\("([^"]+)"\)/gm;
  return [...text.matchAll(pattern)].map((match) => ({
    from: file,
    target: (match[2] ?? match[3] ?? match[4]) as string,
    isTypeOnly: match[1] !== undefined,
  }));
}

function partOf(path: string): string {
  return LAYERS.find((layer) => path.startsWith(layer.path))?.part ?? `nowhere: ${path}`;
}

function resolveImport({ from, target }: Import): string | undefined {
  if (target.startsWith(".")) return relative(root, resolve(root, dirname(from), target));
  return WORKSPACES[target];
}

const DRAWN_NAMES: Record<string, string> = {
  "command line": "cli",
  main: "main.ts",
  frames: "modes",
  rpc: "modes",
  print: "modes",
  json: "modes",
};
const drawnName = (part: string): string => DRAWN_NAMES[part] ?? part;

/** Chains of levels, the lowest first; a line that begins with an arrow continues the chain above it. */
function drawnChains(): string[][][] {
  const page = readFileSync(join(root, "docs/architecture.md"), "utf8");
  const drawing = /^```text\n([^`]*◄──[^`]*)^```$/m.exec(page)?.[1] ?? "";
  const lines = drawing
    .replace(/\n\s+(?=◄──)/g, " ")
    .trim()
    .split("\n");
  return lines.map((line) => line.split("◄──").map((level) => level.split(",").map((name) => name.trim())));
}

const imports = sourceFiles().flatMap(importsOf);

describe("direction of dependencies", () => {
  test("the walk sees the sources", () => {
    expect(imports.length).toBeGreaterThan(50);
  });

  test("no part imports a part above it", () => {
    const allowed = new Map(LAYERS.map(({ part, mayUse }) => [part, new Set([part, ...mayUse])]));
    const wrong = imports.flatMap((edge) => {
      const target = resolveImport(edge);
      if (!target?.endsWith(".ts")) return [];
      const [from, to] = [partOf(edge.from), partOf(target)];
      return allowed.get(from)?.has(to) ? [] : [`${edge.from} (${from}) → ${target} (${to})`];
    });
    expect(wrong).toEqual([]);
  });

  test("agrees with the drawing in docs/architecture.md", () => {
    const drawing = drawnChains();
    const drawn = new Set(drawing.flat(2));
    const inProduct = LAYERS.filter(
      ({ path }) => path.startsWith("packages/coding-agent/src/") && !path.endsWith("version.ts"),
    );
    expect(inProduct.map(({ part }) => drawnName(part)).filter((name) => !drawn.has(name))).toEqual([]);
    const wrong = inProduct.flatMap(({ part, mayUse }) =>
      mayUse.flatMap((used) => {
        const [from, to] = [drawnName(part), drawnName(used)];
        if (from === to || to === "main.ts") return []; // contains the package's exports too, which commands describe
        const levels = (chain: string[][], name: string) => chain.findIndex((level) => level.includes(name));
        const isContradicted = drawing.some((chain) => {
          const [upper, lower] = [levels(chain, from), levels(chain, to)];
          return upper !== -1 && lower !== -1 && lower >= upper;
        });
        return isContradicted ? [`${part} → ${used}`] : [];
      }),
    );
    expect(wrong).toEqual([]);
  });

  test("sibling folders form no cycle", () => {
    const edges = imports.flatMap((edge) => {
      const target = resolveImport(edge);
      return target?.endsWith(".ts") ? [{ from: edge.from, to: target }] : [];
    });
    expect(folderCycles(edges)).toEqual([]);
  });

  test("a cycle of folders is found where the paths of the files diverge", () => {
    const edges = [
      { from: "p/src/a/x/one.ts", to: "p/src/b/two.ts" },
      { from: "p/src/b/two.ts", to: "p/src/c/y/three.ts" },
      { from: "p/src/c/y/three.ts", to: "p/src/a/z/four.ts" },
      { from: "p/src/a/z/four.ts", to: "p/src/a/x/one.ts" },
      { from: "p/src/a/own.ts", to: "p/src/a/x/one.ts" },
    ];
    expect(folderCycles(edges)).toEqual(["p/src/a → p/src/b → p/src/c → p/src/a"]);
    expect(folderCycles(edges.slice(1))).toEqual([]);
    expect(folderCycles([...edges.slice(3), { from: "p/src/a/x/one.ts", to: "p/src/a/z/four.ts" }])).toEqual([
      "p/src/a/x → p/src/a/z → p/src/a/x",
    ]);
  });

  test("packages reach each other only through their public entry", () => {
    const wrong = imports.filter((edge) => {
      const target = resolveImport(edge);
      return edge.target.startsWith(".") && target?.split("/")[1] !== edge.from.split("/")[1];
    });
    expect(wrong).toEqual([]);
  });

  test("ai, agent, wire, highlight and the page use no runtime and no package but the listed ones", () => {
    const wrong = imports.filter((edge) => {
      const allowed = PURE_DEPENDENCIES[partOf(edge.from)];
      if (!allowed || edge.isTypeOnly || resolveImport(edge)) return false;
      return !allowed.includes(edge.target.split("/lib/")[0] ?? "");
    });
    expect(wrong).toEqual([]);
  });

  test("vendors' SDKs are imported only for their types", () => {
    const wrong = imports.filter(
      (edge) => /^(openai|@anthropic-ai\/sdk|@google\/genai)/.test(edge.target) && !edge.isTypeOnly,
    );
    expect(wrong).toEqual([]);
  });
});

test("what tests share is in test/support of its package, or in fixtures", () => {
  const found = [...new Bun.Glob("packages/*/test/**/*.{ts,mjs,py}").scanSync({ cwd: root })];
  expect(found.length).toBeGreaterThan(300);
  const isInPlace = (path: string) => /\.test\.ts$|\/test\/support\/|\/fixtures\//.test(path);
  expect(found.filter((path) => !isInPlace(path))).toEqual([]);
});

describe("a primitive has one owner", () => {
  /** The pattern of a second copy of a primitive, and the file that owns the primitive. */
  const PRIMITIVES: readonly { owner: string; copy: RegExp; besides?: readonly string[] }[] = [
    { owner: "packages/ai/src/foundation/error-text.ts", copy: /instanceof Error \? \w+\.message/ },
    {
      owner: "packages/ai/src/foundation/is-record.ts",
      copy: /typeof ([\w.]+) === "object" && \1 !== null && !Array\.isArray/,
    },
    {
      owner: "packages/ai/src/foundation/is-record.ts",
      copy: /typeof ([\w.]+) !== "object" \|\| \1 === null \|\| Array\.isArray/,
    },
    {
      owner: "packages/ai/src/foundation/abort.ts",
      copy: /EventListener\("abort"/,
      besides: [
        "packages/agent/src/abort-deadline.ts", // counts from an abort, not from its own start
        "packages/agent/src/assistant-turn.ts", // once per delta
        "packages/coding-agent/src/replay/recording/exchange-recorder.ts", // only learns of aborts after the request was sent
      ],
    },
    { owner: "packages/ai/src/foundation/delay.ts", copy: /2 \*\* 31/ },
    { owner: "packages/ai/src/foundation/cut-text.ts", copy: /\.slice\(0, \w+\)(\.toWellFormed\(\))?\}…` : \w+[;,)]/ },
    { owner: "packages/foundation/src/files/expand-home.ts", copy: /function expandHome|startsWith\("~\/"\)/ },
    {
      owner: "packages/ai/src/foundation/serial-work.ts",
      copy: /#(\w+) = (this\.#\1\.then|result\.catch)\(/,
      besides: [
        "packages/coding-agent/src/mcp/mcp-servers.ts", // the one promise of all reviews so far, which callers wait for
      ],
    },
    { owner: "packages/foundation/src/async/timers.ts", copy: /now: \(\) => performance\.now\(\)/ },
    { owner: "packages/foundation/src/text/terminated-lines.ts", copy: /\[\^\\n\]\*\\n\|/ },
  ];
  /**
   * Packages that do not depend on the engine: the page in a browser, the client in its host's process, the terminal,
   * the conformance checks.
   */
  const isApart = (path: string) => /^packages\/(page|highlight|client|terminal|conformance)\//.test(path);

  for (const { owner, copy, besides = [] } of PRIMITIVES) {
    test(`${copy.source} occurs only in ${owner}`, () => {
      const holders = sourceFiles().filter(
        (path) => !isApart(path) && copy.test(readFileSync(join(root, path), "utf8")),
      );
      expect(holders.filter((path) => path !== owner && !besides.includes(path))).toEqual([]);
    });
  }
});

test("each decision has its own number", () => {
  const numbers = readdirSync(join(root, "docs/decisions")).flatMap((name) => /^(\d{4})-/.exec(name)?.[1] ?? []);
  expect(numbers.length).toBeGreaterThan(10);
  expect(numbers.filter((number, index) => numbers.indexOf(number) !== index)).toEqual([]);
});

describe("docs/architecture.md", () => {
  const page = readFileSync(join(root, "docs/architecture.md"), "utf8");
  const sources = sourceFiles();

  /**
   * Returns the source files that a page names in backticks, in order. A name without a folder may refer to a file in any
   * folder.
   */
  const namedIn = (text: string) =>
    [...text.matchAll(/`([\w./-]+\.ts)`/g)].map(([, name = ""]) => ({
      name,
      path:
        sources.find((path) => path.split("/src/")[1] === name) ??
        (name.includes("/") ? undefined : sources.find((path) => path.endsWith(`/${name}`))),
    }));

  test("every file it names exists", () => {
    const named = namedIn(page).filter(({ name }) => !existsSync(join(root, name)));
    expect(named.length).toBeGreaterThan(80);
    expect(named.filter(({ path }) => path === undefined)).toEqual([]);
  });
});
