import { describe, expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { type McpConfig, readMcpConfig } from "../../../src/mcp/config/mcp-config.ts";
import { mcpFile } from "../../support/mcp/servers-of.ts";
import { type ProjectFolder, projectFolder } from "../../support/trust/project-folder.ts";

const OPEN = { isTrusted: true, isTrustedContent: () => true, isStillTrusted: () => true };
const CLOSED = { isTrusted: false, isTrustedContent: () => false, isStillTrusted: () => false };

function read({ cwd, home }: ProjectFolder, trust = OPEN, env: Record<string, string> = {}): McpConfig {
  return readMcpConfig({ cwd, home, env, trust });
}

const commandOf = ({ servers }: McpConfig) =>
  Object.fromEntries(servers.map(({ spec }) => [spec.name, "command" in spec ? spec.command : spec.url]));

describe("sources of servers", () => {
  const FILES = ["~/mcp.json", "mcp.json", ".mcp.json", ".pintle/mcp.json"];

  test("the last file wins when a name is repeated", () => {
    const everywhere = Object.fromEntries(
      FILES.map((path, index) => [path, mcpFile({ both: { command: path }, [`only-${index}`]: { command: "x" } })]),
    );
    using folder = projectFolder(everywhere);
    expect(commandOf(read(folder))).toMatchObject({ both: ".pintle/mcp.json" });
    expect(read(folder).servers).toHaveLength(5);
  });

  test("merging files gives the same result as merging plain objects", () => {
    const name = fc.constantFrom("a", "b", "c");
    const server = fc.oneof(
      fc.record({ command: fc.constantFrom("p", "q", "r") }),
      fc.record({ command: fc.constant("off"), enabled: fc.constant(false) }),
    );
    const file = fc.record({
      mcpServers: fc.dictionary(name, server),
      disabledServers: fc.array(name, { maxLength: 1 }),
    });
    fc.assert(
      fc.property(fc.array(file, { minLength: 4, maxLength: 4 }), (files) => {
        using folder = projectFolder();
        FILES.forEach((path, index) => void folder.write(path, JSON.stringify(files[index])));
        const merged = Object.assign({}, ...files.map(({ mcpServers }) => mcpServers)) as Record<
          string,
          { command: string }
        >;
        const disabled = new Set<string>(files.flatMap(({ disabledServers }) => disabledServers));
        const expected = Object.entries(merged).filter(([key, { command }]) => !disabled.has(key) && command !== "off");
        const { servers, problems } = read(folder);
        expect(problems).toEqual([]);
        expect(commandOf({ servers, problems })).toEqual(
          Object.fromEntries(expected.map(([key, { command }]) => [key, command])),
        );
      }),
      { numRuns: 40 },
    );
  });

  test("without consent, a project's files cannot add, replace or disable a server", () => {
    using folder = projectFolder({
      "~/mcp.json": mcpFile({ mine: { command: "mine" } }),
      ".mcp.json": mcpFile({ mine: { command: "theirs" }, other: { command: "x" } }, { disabledServers: ["mine"] }),
    });
    const config = read(folder, CLOSED);
    expect([commandOf(config), config.problems]).toEqual([{ mine: "mine" }, []]);
  });

  test("withholds the whole file if it differs from the approved one", () => {
    using folder = projectFolder({
      "mcp.json": mcpFile({ good: { command: "good" } }),
      ".mcp.json": mcpFile({ bad: { command: "bad" } }),
    });
    const isTrustedContent = (path: string) => !path.endsWith(".mcp.json");
    const { servers, problems } = read(folder, { ...OPEN, isTrustedContent: isTrustedContent as never });
    expect(servers.map(({ spec }) => spec.name)).toEqual(["good"]);
    expect(problems).toEqual([
      `${folder.at(".mcp.json")}: has changed since consent was given; its servers are not started`,
    ]);
  });

  test("a server may not start after its program in the project has changed", () => {
    using folder = projectFolder({
      "mcp.json": mcpFile({ own: { command: "node", args: ["server.js"] }, other: { command: "node" } }),
      "server.js": "1",
    });
    let isSame = true;
    const { servers } = read(folder, { ...OPEN, isStillTrusted: () => isSame });
    isSame = false;
    expect(servers.map(({ spec, mayStart }) => [spec.name, mayStart()])).toEqual([
      ["own", false],
      ["other", true],
    ]);
  });

  test("treats files in pintle's own directory as the user's, even if the session runs around or inside it", () => {
    using folder = projectFolder({ "~/mcp.json": mcpFile({ mine: { command: "mine" } }) });
    const { home, root } = folder;
    symlinkSync(home, join(root, ".pintle"));
    const trust = { ...OPEN, isTrustedContent: () => false };
    for (const cwd of [home, root]) {
      const config = readMcpConfig({ cwd, home, env: {}, trust });
      expect([commandOf(config), config.problems]).toEqual([{ mine: "mine" }, []]);
    }
  });
});

describe("a hostile file", () => {
  test.each<[string, string]>([
    ["nonsense", "is not valid JSON"],
    ["[]", "must contain an object"],
    ['{"mcpServers":[]}', "mcpServers must be an object"],
    ['{"disabledServers":"a"}', "disabledServers must be a list of names"],
    ["x".repeat(10 * 1024 * 1024), "is larger than 1024 KiB"],
    ["[".repeat(500_000), "is not valid JSON"],
    ["\xff\xfe", "must"],
  ])("reports %.20s as a separate problem", (content, problem) => {
    using folder = projectFolder({ "~/mcp.json": content, ".mcp.json": mcpFile({ good: { command: "x" } }) });
    const { servers, problems } = read(folder);
    expect(servers).toHaveLength(1);
    expect(problems).toHaveLength(1);
    if (problem !== "must") expect(problems[0]).toStartWith(`${folder.at("~/mcp.json")}: ${problem}`);
  });

  test("reports a pipe or a folder and continues", () => {
    using folder = projectFolder();
    expect(Bun.spawnSync(["mkfifo", folder.at("~/mcp.json")]).exitCode).toBe(0);
    folder.write("mcp.json/file", "");
    const { servers, problems } = read(folder);
    expect(servers).toEqual([]);
    expect(problems).toHaveLength(2);
  });

  test("uses only the first servers, up to the limit", () => {
    const many = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`s${index}`, { command: "x" }]));
    using folder = projectFolder({ "~/mcp.json": mcpFile(many) });
    const { servers, problems } = read(folder);
    expect(servers).toHaveLength(100);
    expect(problems).toEqual([`${folder.at("~/mcp.json")}: names 150 servers; only the first 100 are used`]);
  });
});
