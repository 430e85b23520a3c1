import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchDirectory } from "../../../../test/support/scratch-directory.mjs";
import { sendEvents, startLoopbackServer } from "../../../ai/test/support/loopback-server.ts";
import { version, WIRE_VERSIONS } from "../../src/version.ts";
import { cleanEnvironment, runProgram } from "../support/program.ts";

const ANSWER = [
  'data: {"id":"x","choices":[{"index":0,"delta":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}]}\n\n',
  "data: [DONE]\n\n",
].join("");

/** Registers the flag of pi's example for planning. */
const PLANNER = 'export default (pi) => { pi.registerFlag("plan", { type: "boolean", default: false }); };';

/** An environment whose only model is a server that records its requests. */
async function machine() {
  const scratch = scratchDirectory();
  const server = await startLoopbackServer(sendEvents(ANSWER));
  const provider = { baseUrl: server.url, api: "openai-completions", apiKey: "key", models: [{ id: "m" }] };
  mkdirSync(join(scratch.path, ".pintle"), { recursive: true });
  writeFileSync(join(scratch.path, ".pintle", "models.json"), JSON.stringify({ providers: { local: provider } }));
  writeFileSync(join(scratch.path, "planner.ts"), PLANNER);
  writeFileSync(join(scratch.path, "broken.ts"), "export default () => { throw new Error('no'); };");
  const run = (args: readonly string[], env: Record<string, string> = {}) =>
    runProgram(["--model", "local/m", "--no-session", ...args], {
      cwd: scratch.path,
      env: cleanEnvironment(scratch.path, env),
    });
  return {
    run,
    /** The user's messages in each request. */
    sent: () => server.requests.map(({ body }) => body.messages.at(-1).content),
    tools: () =>
      server.requests.map(({ body }) =>
        (body.tools ?? []).map((tool: { function: { name: string } }) => tool.function.name),
      ),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      scratch[Symbol.dispose]();
    },
  };
}

describe("arguments on the command line", () => {
  test.each([
    [["-p", "what", "files", "are", "here"], ["what files are here"]],
    [["--profile", "work", "-p", "go", "on"], ["go on"]],
    [
      ["-p", "--message", "one", "--message=two"],
      ["one", "two"],
    ],
    [["-e", "planner.ts", "--plan", "go", "on"], ["go on"]],
    [["--plan", "some-model", "go", "on"], ["go on"]],
  ])("%j", async (args, sent) => {
    await using place = await machine();
    expect(await place.run([...args, "--last"])).toEqual({ code: 0, stdout: "Hello\n", stderr: "" });
    expect(place.sent()).toEqual(sent);
  });

  test("are not options after two dashes", async () => {
    await using place = await machine();
    expect((await place.run(["-p", "go", "--", "doctor", "--help", "-x"])).code).toBe(0);
    expect(place.sent()).toEqual(["go doctor --help -x"]);
  });
});

describe("an invalid option sends nothing", () => {
  test.each([
    [["--modle", "x", "-p", "hi"], "unknown option --modle (did you mean --model?)\nTry: pintle --help"],
    [["--verison"], "unknown option --verison (did you mean --version?)\nTry: pintle --help"],
    [["--profile", "work"], "there is no message to answer\nTry: pintle --help"],
    [["-e", "planner.ts", "--plam", "hi"], "unknown option --plam (did you mean --plan?)\nTry: pintle --help"],
    [
      ["--thinking", "ultra", "hi"],
      '--thinking must be one of off, minimal, low, medium, high, xhigh, max, not "ultra"\nTry: pintle --help',
    ],
    [["--approval-mode", "none", "hi"], expect.stringContaining("--approval-mode must be always-ask, write or yolo")],
    [["--list-models", "--ofline"], "unknown option --ofline (did you mean --offline?)\nTry: pintle --help"],
    [["--list-models", "a", "b"], '--list-models takes one search term, not also "b"\nTry: pintle --help'],
    [["-p", "hi", "--exclude-tools"], "--exclude-tools needs a value <list>\nTry: pintle --help"],
    [["--exclude-tools", "-p", "hi"], "--exclude-tools needs a value <list>\nTry: pintle --help"],
    [["--name", "--quiet", "hi"], "--name needs a value <text>\nTry: pintle --help"],
    [["--fork", "", "hi"], "--fork needs a value <id|name|path>\nTry: pintle --help"],
    [["--replay=", "hi"], "--replay needs a value <dir>\nTry: pintle --help"],
    [["--message", "", "hi"], "--message needs a value <text>\nTry: pintle --help"],
    [["-r", "", "hi"], "--resume needs a value <id|name|path>\nTry: pintle --help"],
    [["--cwd", "", "hi"], "--cwd needs a value <dir>\nTry: pintle --help"],
    [["--session-id", "a/b", "hi"], 'A session id consists of letters, digits, ".", "_" and "-", not "a/b"'],
    [["--dialect", "p", "hi"], '--dialect must be one of seed, pi, omp, not "p"\nTry: pintle --help'],
    [["--name", " ", "hi"], "Session name cannot be empty"],
    [["-e", "nowhere.ts", "hi"], "--extension nowhere.ts: no such file or directory"],
    [["--hook", "planner.ts/inside", "hi"], "--extension planner.ts/inside: no such file or directory"],
    [["--custom-tool", "~/nowhere.ts", "hi"], "--custom-tool ~/nowhere.ts: no such file or directory"],
    [["--skill", "nowhere", "hi"], "--skill nowhere: no such file or directory"],
    [["--prompt-template", "nowhere.md", "hi"], "--prompt-template nowhere.md: no such file or directory"],
    [["--export", "x", "--redcat"], "unknown option --redcat (did you mean --redact?)\nTry: pintle --help"],
  ])("%j", async (args, text) => {
    await using place = await machine();
    const { code, stdout, stderr } = await place.run(args);
    expect([code, stdout, stderr.replace(/^pintle: (.*)\n$/s, "$1")]).toEqual([2, "", text]);
    expect(place.sent()).toEqual([]);
  });

  test("an extension that fails does not change the exit code", async () => {
    await using place = await machine();
    const { code, stdout, stderr } = await place.run(["-e", "broken.ts", "--guarded", "-p", "hi"]);
    expect([code, stdout]).toEqual([0, "Hello\n"]);
    expect(stderr).toContain("unknown option --guarded; it is ignored until an extension registers it");
  });
});

describe("reports a path that does not exist in one sentence", () => {
  test.each([
    [["--cwd", "nowhere", "hi"], "Cannot change to nowhere: no such file or directory (ENOENT).\n"],
    [["--cwd", "planner.ts", "hi"], "Cannot change to planner.ts: a part of the path is not a directory (ENOTDIR).\n"],
    [["@nowhere", "hi"], "Cannot read nowhere: no such file or directory (ENOENT).\n"],
    [["@.pintle", "hi"], ".pintle is not a regular file\n"],
  ])("%j", async (args, text) => {
    await using place = await machine();
    expect(await place.run(["-p", ...args])).toEqual({ code: 1, stdout: "", stderr: `pintle: ${text}` });
    expect(place.sent()).toEqual([]);
  });
});

describe("the available tools", () => {
  test.each([
    [
      ["--tools", "read,glob,Search"],
      ["find", "grep", "read"],
    ],
    [
      ["--tools", "read,bash,glob", "-xt", "Bash"],
      ["find", "read"],
    ],
    [
      ["--exclude-tools", "bash,write,edit,ast_edit,ast_grep,todo,list"],
      ["find", "grep", "read", "task", "call_late_tool"],
    ],
    [
      ["--tools", "read,web_search,task"],
      ["read", "task"],
    ],
    [
      ["--exclude-tools", "ast_*,mcp__*,TODO*,e*,ba*"],
      ["find", "grep", "ls", "read", "task", "write", "call_late_tool"],
    ],
    [
      ["--tools", "ast_*,re*"],
      ["ast_edit", "ast_grep", "read", "resolve"], // ast_edit adds resolve
    ],
    [
      ["--tools", "+ast_grep,-write", "-xt", "todo*,ast_edit"],
      ["ast_grep", "bash", "edit", "find", "grep", "ls", "read", "task", "call_late_tool"],
    ],
    [
      ["--tools", "-Bash,-list", "-xt", "*_*"],
      ["edit", "find", "grep", "read", "task", "write", "call_late_tool"],
    ],
  ])("%j", async (args, tools) => {
    await using place = await machine();
    expect(await place.run([...args, "-p", "hi"])).toEqual({ code: 0, stdout: "Hello\n", stderr: "" });
    expect(place.tools()).toEqual([tools]);
  });

  const SLIP = 'pintle: there is no tool "bsah"; did you mean "bash"?\n';

  test("reports a name that no tool has", async () => {
    await using place = await machine();
    const { code, stderr } = await place.run(["--tools", "bsah,read", "-p", "hi"]);
    expect([code, stderr, place.tools()]).toEqual([0, SLIP, [["read"]]]);
  });

  test("a misspelt tool restriction sends nothing", async () => {
    await using place = await machine();
    const { code, stderr } = await place.run(["--exclude-tools", "bsah", "-p", "hi"]);
    expect([code, stderr, place.sent()]).toEqual([2, SLIP, []]);
  });

  test.each([
    [["--tools", "-bsah"], SLIP],
    [["--exclude-tools", "bsa*"], 'pintle: there is no tool "bsa*"\n'],
    [["--tools", "+read,write"], expect.stringContaining('mixes "write" with "+read"')],
  ])("%j sends nothing", async (args, problem) => {
    await using place = await machine();
    const { code, stderr } = await place.run([...args, "-p", "hi"]);
    expect([code, stderr, place.sent()]).toEqual([2, problem, []]);
  });

  test("sends the message if the tool may belong to a module that was not loaded", async () => {
    await using place = await machine();
    const { code, stderr } = await place.run(["-e", "broken.ts", "--exclude-tools", "bsah", "-p", "hi"]);
    expect([code, stderr.includes(SLIP)]).toEqual([0, true]);
  });
});

describe("--version", () => {
  test.each([
    [[], {}, `${version}\n`],
    [["--dialect", "pi"], {}, `${WIRE_VERSIONS.pi}\n`],
    [[], { PINTLE_DIALECT: "pi" }, `${WIRE_VERSIONS.pi}\n`],
    [[], { PINTLE_DIALECT: "omp" }, `${WIRE_VERSIONS.omp}\n`],
    [["--dialect=seed"], { PINTLE_DIALECT: "pi" }, `${version}\n`],
  ])("%j %j", async (args, env, stdout) => {
    await using place = await machine();
    expect(await place.run([...args, "--version"], env)).toEqual({ code: 0, stdout, stderr: "" });
  });
});
