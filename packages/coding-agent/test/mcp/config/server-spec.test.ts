import { describe, expect, test } from "bun:test";
import { readMcpConfig } from "../../../src/mcp/config/mcp-config.ts";
import { mcpFile, variable } from "../../support/mcp/servers-of.ts";
import { projectFolder } from "../../support/trust/project-folder.ts";

const OPEN = { isTrusted: true, isTrustedContent: () => true, isStillTrusted: () => true };

/** Returns the specs of servers in a user's file, and the problems without the file's path. */
function readUsers(servers: Record<string, unknown>, env: Record<string, string> = {}) {
  using folder = projectFolder({ "~/mcp.json": mcpFile(servers) });
  const { servers: found, problems } = readMcpConfig({ ...folder, env, trust: OPEN });
  return {
    specs: found.map(({ spec }) => spec),
    problems: problems.map((problem) => problem.replaceAll(folder.root, "")),
    cwd: folder.cwd,
  };
}

describe("a server", () => {
  test("in a child process", () => {
    const { specs, cwd } = readUsers({
      a: { command: "npx", args: ["-y", "x"], env: { A: "1" }, cwd: "sub", timeout: 5 },
      b: { command: "x" },
    });
    const secrets: string[] = [];
    const a = { secrets, args: ["-y", "x"], env: { A: "1" }, cwd: `${cwd}/sub`, timeoutMs: 5, callTimeoutMs: 5 };
    const b = { secrets, args: [], env: {}, cwd, timeoutMs: 30_000, callTimeoutMs: 600_000 };
    expect(specs).toEqual([
      { name: "a", transport: "stdio", command: "npx", ...a },
      { name: "b", transport: "stdio", command: "x", ...b },
    ]);
  });

  test.each<[object, string]>([
    [{ url: "https://a.example/mcp" }, "http"],
    [{ url: "https://a.example/mcp", type: "http" }, "http"],
    [{ url: "https://a.example/mcp", type: "streamable-http" }, "http"],
    [{ url: "https://a.example/mcp", type: "sse" }, "sse"],
    [{ command: "x", type: "stdio", enabled: true, auth: null, unknown: 1 }, "stdio"],
  ])("connects %j over %s", (written, transport) => {
    expect(readUsers({ a: written }).specs).toMatchObject([{ transport }]);
  });

  test("expands variables in every string", () => {
    const { specs } = readUsers(
      {
        a: {
          command: variable("P"),
          args: [variable("P"), "-x"],
          env: { A: variable("P", "d") },
          cwd: `/${variable("P")}`,
        },
        b: { url: `https://${variable("P")}.example/`, headers: { authorization: `Bearer ${variable("P")}` } },
      },
      { P: "p" },
    );
    expect(specs).toMatchObject([
      { command: "p", args: ["p", "-x"], env: { A: "p" }, cwd: "/p" },
      { url: "https://p.example/", headers: { authorization: "Bearer p" } },
    ]);
  });

  test.each<[unknown, string]>([
    [{ command: "x", url: "https://a.example" }, "command and url exclude each other"],
    [{ args: [] }, "command or url is missing"],
    ["text", "must be an object"],
    [{ command: 1 }, "command must be a string"],
    [{ command: "" }, "command must not be empty"],
    [{ command: "x", args: "y" }, "args must be a list of at most 1000 strings"],
    [{ command: "x", args: [1] }, "args must be a list of at most 1000 strings"],
    [{ command: "x", env: { A: 1 } }, "env must be an object whose values are strings"],
    [{ command: "x", env: { "A=B": "1" } }, "env contains an invalid variable name"],
    [{ command: "x\0y" }, "command contains a NUL character"],
    [{ command: "x", timeout: -1 }, "timeout must be a positive integer"],
    [{ command: "x", enabled: "yes" }, "enabled must be true or false"],
    [{ command: "x", type: "pigeon" }, "type must be stdio, http or sse"],
    [{ command: "x", type: "constructor" }, "type must be stdio, http or sse"],
    [{ command: "x", type: "sse" }, "type sse does not match the other fields"],
    [{ url: "https://a.example", type: "stdio" }, "type stdio does not match the other fields"],
    [{ url: "ftp://a.example" }, "url must be an http or https URL"],
    [{ url: "https://me:secret@a.example" }, "url must not contain a user name or password; use headers"],
    [
      { url: "https://a.example", headers: { "a b": "secret" } },
      "headers contain a name or value that HTTP does not allow",
    ],
    [
      { url: "https://a.example", headers: { a: "secret\nb" } },
      "headers contain a name or value that HTTP does not allow",
    ],
    [
      { url: "https://a.example", headers: { a: "!secret" } },
      'headers.a begins with "!", but pintle runs no commands for the values of MCP servers',
    ],
    [
      { command: "x", env: { A: "!secret" } },
      'env.A begins with "!", but pintle runs no commands for the values of MCP servers',
    ],
    [{ command: variable("NONE") }, "command names the variable NONE, which is not set"],
    [{ command: "x", args: ["a", variable("NONE")] }, "args[1] names the variable NONE, which is not set"],
  ])("rejects %j: %s", (written, problem) => {
    const { specs, problems } = readUsers({ bad: written, good: { command: "x" } });
    expect(specs.map(({ name }) => name)).toEqual(["good"]);
    expect(problems).toEqual([`MCP server "bad" (/home/mcp.json): ${problem}`]);
  });

  test("treats the values of variables with key-like names as secrets", () => {
    const args = [variable("API_KEY"), variable("HOME"), variable("OTHER_TOKEN", "default")];
    const { specs } = readUsers({ a: { command: "x", args } }, { API_KEY: "abc", HOME: "/home" });
    expect(specs).toMatchObject([{ args: ["abc", "/home", "default"], secrets: ["abc"] }]);
  });

  test.each(["", "a b", "a/b", "../x", "x".repeat(101), "naïve", "a\u001b[31m"])("rejects the name %j", (name) => {
    const { specs, problems } = readUsers({ [name]: { command: "x" }, "good.name-1_": { command: "x" } });
    expect(specs.map((spec) => spec.name)).toEqual(["good.name-1_"]);
    expect(problems).toHaveLength(1);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may get through
    expect(problems[0]).not.toMatch(/[\x00-\x1f]/);
  });

  test("does not validate a server that is switched off", () => {
    const { specs, problems } = readUsers({ a: { enabled: false }, b: { disabled: true } });
    expect({ specs, problems }).toEqual({ specs: [], problems: [] });
  });

  test("accepts a description of the login, or just a token from the user", () => {
    const url = "https://a.example";
    const { specs, problems } = readUsers(
      {
        a: { url },
        // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the configuration file
        b: { url, oauth: { clientId: "x", clientSecret: "${MY_SECRET}", scope: "read" } },
        c: { url, auth: "oauth" },
        d: { url, oauth: false },
        e: { url, headers: { authorization: "Bearer abc" } },
        f: { url, oauth: { grantType: "client_credentials", clientId: "x", clientSecret: "yyyyyyyy" } },
      },
      { MY_SECRET: "sssssssss" },
    );
    expect(problems).toEqual([]);
    expect(specs.map((spec) => ("oauth" in spec ? spec.oauth : spec))).toEqual([
      { isForProgram: false },
      { clientId: "x", clientSecret: "sssssssss", scope: "read", isForProgram: false },
      { isForProgram: false },
      undefined,
      undefined,
      { clientId: "x", clientSecret: "yyyyyyyy", isForProgram: true },
    ]);
    expect(specs[1]?.secrets).toContain("sssssssss");
  });

  test("reports an invalid login by its field, without any value", () => {
    const url = "https://a.example";
    const { problems } = readUsers({
      a: { url, oauth: { clientSecret: 5 } },
      b: { url, oauth: { grantType: "password" } },
      c: { url, oauth: { grantType: "client_credentials" } },
      d: { url, oauth: { redirectUri: "javascript:alert(1)" } },
      e: { url, oauth: "!run me" },
    });
    expect(problems).toEqual([
      expect.stringMatching(/oauth\.clientSecret must be a string/),
      expect.stringMatching(/oauth\.grantType must be authorization_code or client_credentials/),
      expect.stringMatching(/oauth\.grantType client_credentials needs clientId/),
      expect.stringMatching(/oauth\.redirectUri must be an http or https URL/),
      expect.stringMatching(/oauth begins with "!"/),
      expect.stringMatching(/oauth must be an object/),
    ]);
  });

  test("accepts names of built-in object properties", () => {
    using folder = projectFolder({
      "~/mcp.json": '{"mcpServers":{"__proto__":{"command":"x"},"constructor":{"command":"y"}}}',
    });
    expect(readMcpConfig({ ...folder, env: {}, trust: OPEN }).servers.map(({ spec }) => spec.name)).toEqual([
      "__proto__",
      "constructor",
    ]);
  });
});
