import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchDirectory } from "../../../../test/support/scratch-directory.mjs";
import { mcpFile, STDIO_SERVER, stdio } from "../support/mcp/servers-of.ts";
import { cleanEnvironment, runProgram } from "../support/program.ts";

interface Report {
  isBroken: boolean;
  findings: { check: string; status: string; text: string }[];
}

/** A project and pintle's own directory with these files. */
function place(files: Record<string, string> = {}, extra: Record<string, string> = {}) {
  const scratch = scratchDirectory();
  const [cwd, home] = [join(scratch.path, "project"), join(scratch.path, "home")];
  mkdirSync(cwd);
  const env = cleanEnvironment(home, extra);
  const own = env.PINTLE_HOME as string;
  mkdirSync(own, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(name.startsWith("~/") ? own : cwd, name.replace("~/", "")), content, { mode: 0o600 });
  }
  return {
    cwd,
    own,
    run: (...args: string[]) => runProgram(["doctor", "--offline", ...args], { cwd, env }),
    runOnline: (...args: string[]) => runProgram(["doctor", ...args], { cwd, env }),
    async report() {
      const { code, stdout, stderr } = await runProgram(["doctor", "--offline", "--json"], { cwd, env });
      const report = JSON.parse(stdout) as Report;
      const of = (check: string) =>
        report.findings.filter((finding) => finding.check === check).map(({ status, text }) => `${status} ${text}`);
      return { code, stderr, stdout, report, of };
    },
    [Symbol.dispose]: () => scratch[Symbol.dispose](),
  };
}

test("lists the setup by names and sources, and accepts a machine without a model", async () => {
  using bare = place();
  const { code, stderr, report, of } = await bare.report();
  expect([code, stderr, report.isBroken]).toEqual([0, "", false]);
  expect(of("directories")).toEqual([
    `ok working directory ${bare.cwd}`,
    `ok settings, keys and models ${bare.own}`,
    `ok sessions ${join(bare.own, "sessions")} (will be created)`,
  ]);
  expect(of("keys")).toEqual(["info none"]);
  expect(of("models")[1]).toMatch(/^warning default: pintle\/offline/);
  expect(of("native")).toEqual([expect.stringMatching(/^ok ripgrep \//), expect.stringMatching(/^ok AST engine/)]);
  expect(of("trust")).toEqual(["ok nothing in this directory needs consent"]);
  expect(readdirSync(bare.own)).toEqual([]);
});

test("reports keys by source, never by value, and runs no command to obtain one", async () => {
  const auth = { openai: { type: "api_key", key: "!touch ran; echo secret-2" } };
  using here = place({ "~/auth.json": JSON.stringify(auth) }, { ANTHROPIC_API_KEY: "secret-1" });
  const { code, stdout, of } = await here.report();
  expect([code, of("keys")]).toEqual([0, ["ok anthropic: ANTHROPIC_API_KEY", "ok openai: a command in auth.json"]]);
  expect(stdout).not.toContain("secret");
  expect(readdirSync(here.cwd)).toEqual([]);
});

test("never includes a token in its findings, not even from a file name", async () => {
  const token = `ghp_${"k7Qx2Zp9".repeat(5)}`;
  using here = place({ "~/settings.json": JSON.stringify({ extensions: [`./${token}.ts`] }) });
  const { stdout } = await here.report();
  expect(stdout).toContain("[redacted]");
  expect(stdout).not.toContain(token);
});

test("reports a broken setup and exits with code 1", async () => {
  using here = place({
    "~/models.json": "{ oops",
    "~/settings.json": '{"extensions":["./gone.ts"],"sessionDir":"./file"}',
    "~/file": "",
  });
  const { code, report, of } = await here.report();
  expect([code, report.isBroken]).toEqual([1, true]);
  expect(of("configuration")).toEqual([expect.stringMatching(/^broken .*models\.json/)]);
  expect(of("extensions")).toEqual([expect.stringMatching(/^broken .*gone\.ts/)]);
  expect(of("directories")[2]).toBe(`broken sessions ${join(here.own, "file")}: is not a directory`);
  const { code: same, stdout, stderr } = await here.run();
  // models.json is reported twice, with the models and with the files, but counted once.
  expect([same, stderr]).toEqual([1, "pintle: 3 things are broken\n"]);
  expect(stdout).toMatch(/^FAIL {2}configuration {2}.*models\.json/m);
});

test("reports problems that do not stop pintle as warnings", async () => {
  using here = place({ "~/auth.json": "{}" });
  chmodSync(join(here.own, "auth.json"), 0o644);
  const { code, of } = await here.report();
  expect([code, of("configuration")]).toEqual([
    0,
    [expect.stringMatching(/^warning .*auth\.json: other users can read this file/)],
  ]);
});

test("connects to the user's MCP servers, and only lists the project's", async () => {
  const bun = process.execPath;
  using here = place({
    "~/mcp.json": mcpFile({
      good: stdio(),
      bad: { command: "/no/such/program" },
      near: { command: bun, args: ["near.js"] },
    }),
    "mcp.json": mcpFile({ theirs: { command: bun, args: [STDIO_SERVER, "--log", "started"] } }),
    "near.js": 'require("node:fs").writeFileSync("started", "");',
  });
  const { code, of } = await here.report();
  expect(of("mcp")).toEqual([
    expect.stringMatching(/^ok good: connected, \d+ tools$/),
    expect.stringMatching(/^broken bad: /),
    "info near: its program is in this project; not started here",
    "info theirs: of the project, withheld; not started here",
  ]);
  expect(of("trust")).toEqual(["info withheld without consent (--trust gives it): mcp_server theirs"]);
  expect([code, readdirSync(here.cwd).sort()]).toEqual([1, ["mcp.json", "near.js"]]);
});

test("reports mistakes in the settings, the preset and the sandbox strength", async () => {
  using here = place({
    "~/settings.json":
      '{"permissions":{"mode":"ask","rulez":[]},"them":1,"sandbox.mode":"read-only","sandbox.network":["registry.example"]}',
  });
  const { code, of } = await here.report();
  expect(code).toBe(1);
  expect(of("configuration")).toEqual([
    expect.stringMatching(
      /^broken .*settings\.json: unknown setting permissions\.rulez \(did you mean permissions\.rules\?\)$/,
    ),
    expect.stringMatching(/^warning .*settings\.json: unknown settings are ignored: them$/),
  ]);
  expect(of("permissions")).toEqual([
    `ok preset: ask (${join(here.own, "settings.json")})`,
    "info sandbox: read-only",
    expect.stringMatching(/^(ok|warning) sandbox strength on this machine: (full|partial|none)/),
    expect.stringMatching(/^(ok|broken) network of commands in the sandbox: only registry\.example/),
  ]);
  expect(readdirSync(here.own)).toEqual(["settings.json"]);
});

test("contacts configured model servers without a key", async () => {
  const asked: string[] = [];
  using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      asked.push(`${new URL(request.url).pathname} ${request.headers.get("authorization")}`);
      return new Response("no", { status: 401 });
    },
  });
  const model = (baseUrl: string) => ({
    baseUrl,
    api: "openai-completions",
    apiKey: "k-secret-1",
    models: [{ id: "m" }],
  });
  const away = "http://127.0.0.1:1/v1";
  const providers = { here: model(`http://127.0.0.1:${server.port}/v1`), away: model(away) };
  using configured = place({ "~/models.json": JSON.stringify({ providers }) });
  const { code, stdout } = await configured.runOnline("--json");
  const findings = (JSON.parse(stdout) as Report).findings.filter(({ check }) => check === "model servers");
  expect(findings.map(({ status, text }) => `${status} ${text}`)).toEqual([
    `ok here: http://127.0.0.1:${server.port}/v1 answers (HTTP 401)`,
    `broken away: ${away} does not answer (connection refused)`,
  ]);
  expect([code, asked]).toEqual([1, ["/v1/models null"]]);
});
