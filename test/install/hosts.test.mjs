// Runs the example hosts as their readers do: with the packages installed, an empty home directory, no key.
import { beforeAll, describe, expect, test } from "bun:test";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sendEvents, startLoopbackServer } from "../../packages/ai/test/support/loopback-server.ts";
import { where } from "../../packages/coding-agent/test/support/where.ts";
import { root } from "../../scripts/paths.mjs";
import {
  emptyDirectory,
  installedProject,
  installedPython,
  PATIENCE_MS,
  runIn,
  startIn,
} from "./support/installed.mjs";

const hosts = join(root, "examples/hosts");
const MODEL = "pintle/offline";

let project;
let place;
beforeAll(async () => {
  project = await installedProject();
  place = join(project, "hosts");
  cpSync(hosts, place, { recursive: true });
  mkdirSync(join(place, "src"));
  writeFileSync(join(place, "src/a.txt"), "hello\n");
}, PATIENCE_MS);

/** `settings`: the offline model, for hosts that leave the choice to the user. */
function environment(name) {
  const home = emptyDirectory(join("homes", name));
  const pintle = join(home, ".pintle");
  mkdirSync(pintle, { recursive: true });
  writeFileSync(join(pintle, "settings.json"), JSON.stringify({ defaultProvider: "pintle", defaultModel: "offline" }));
  const PATH = [join(project, "node_modules/.bin"), process.env.PATH].join(":");
  return { PATH, HOME: home, PINTLE_HOME: pintle, MODEL };
}

async function runHost(name, command, input = "") {
  const { code, stdout, stderr } = await runIn(place, command, { env: environment(name), input });
  return { code, stdout, stderr };
}

const linesOf = (path) => readFileSync(join(root, path), "utf8").trimEnd().split("\n");

/** A model that asks for the owner, tries a command that no rule allows, and then gives the output. Each answer costs 0.01 USD. */
async function reportingModel(output) {
  const usage = { prompt_tokens: 1000, completion_tokens: 0, total_tokens: 1000 };
  const calls = (name, args) => {
    const tool_calls = [{ index: 0, id: `${name}_1`, function: { name, arguments: JSON.stringify(args) } }];
    const choices = [{ index: 0, delta: { tool_calls }, finish_reason: "tool_calls" }];
    return sendEvents(`data: ${JSON.stringify({ choices, usage })}\n\ndata: [DONE]\n\n`);
  };
  return startLoopbackServer(
    calls("owner", { path: "src/a.txt" }),
    calls("bash", { command: "touch made.txt" }),
    calls("structured_output", output),
  );
}

function environmentWith(name, server) {
  const env = environment(name);
  const cost = { input: 10, output: 10, cacheRead: 0, cacheWrite: 0 };
  const local = { baseUrl: server.url, api: "openai-completions", auth: "none", models: [{ id: "m", cost }] };
  writeFileSync(join(env.PINTLE_HOME, "models.json"), JSON.stringify({ providers: { local } }));
  writeFileSync(
    join(env.PINTLE_HOME, "settings.json"),
    JSON.stringify({ defaultProvider: "local", defaultModel: "m" }),
  );
  return env;
}

/** One statement per line, so that the count is honest. */
function expectShort(path, most) {
  const lines = linesOf(path);
  expect(lines.length).toBeLessThanOrEqual(most);
  expect(lines.filter((line) => line.length > 120 || /;\s*\S/.test(line.replaceAll(/"[^"]*"/g, "")))).toEqual([]);
}

/** Checks what the model received: the host tool ran, and the command did not. */
function expectReported({ requests }) {
  const [, second, third] = requests.map(({ body }) => JSON.stringify(body.messages));
  expect(second).toContain("src/a.txt: core team");
  expect(third).toMatch(/denied|not allowed/i);
  expect(requests).toHaveLength(3);
  expect(readdirSync(place)).not.toContain("made.txt");
}

describe("a host tool, an approval rule, a budget, an answer as JSON and its cost", () => {
  test.each([
    ["Bun", [process.execPath, "report.ts"]],
    ["Node", ["node", "report.mjs"]],
  ])("take at most 12 lines of TypeScript, on %s", async (runtime, command) => {
    expectShort("examples/hosts/report.ts", 12);
    cpSync(join(place, "report.ts"), join(place, "report.mjs")); // Node 20 does not know the ending, and every type is inferred
    await using server = await reportingModel({ file: "src/a.txt", line: 3, owner: "core" });
    const { code, stdout, stderr } = await runIn(place, command, { env: environmentWith(`report-${runtime}`, server) });
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "src/a.txt 3 core 0.03\n", stderr: "" });
    expectReported(server);
  });

  test.if(where(Bun.which("python3") !== null, "needs python3"))("take at most 14 lines of Python", async () => {
    expectShort("examples/python/report.py", 14);
    await using server = await reportingModel({ file: "src/a.txt", line: 3 });
    const env = { ...environmentWith("report-python", server), PYTHONPATH: await installedPython() };
    const report = join(root, "examples/python/report.py");
    const { code, stdout, stderr } = await runIn(place, ["python3", report], { env });
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "completed 3 0.03\n", stderr: "" });
    expectReported(server);
  });
});

describe("example hosts", () => {
  test("a chat bot answers every user in a separate conversation", async () => {
    const { code, stdout } = await runHost(
      "bot",
      ["node", "chat-bot.mjs"],
      "ann: help\nbob: call clock {}\nann: run touch x\n",
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/^@bob `clock` answered:\n```\n\d{4}-\d\d-\d\dT/m);
    expect(stdout.match(/^@ann /gm)).toHaveLength(2);
    expect(readdirSync(place)).not.toContain("x");
  });

  test("an evaluation harness runs its tasks and reports each", async () => {
    const { code, stdout } = await runHost("evaluation", ["node", "evaluation.mjs"]);
    const rows = stdout.trim().split("\n").map(JSON.parse);
    expect(rows.map(({ name, passed, endedBy }) => `${name} ${passed} ${endedBy}`).sort()).toEqual([
      "list true stop",
      "slow true timeout",
      "write true stop",
    ]);
    expect(code).toBe(0);
  });

  test("a reviewer for CI prints JSON that matches its schema", async () => {
    const { code, stdout, stderr } = await runHost("reviewer", ["node", "ci-reviewer.mjs"], "+ const a = 1\n");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toEqual({ summary: "", findings: [], cost: 0 });
  });

  test("a web app talks to a gateway", async () => {
    const env = environment("web");
    const server = startIn(place, ["pintle", "serve", "--listen", "127.0.0.1:0"], { env });
    try {
      const url = await new Promise((resolve, reject) => {
        let printed = "";
        const read = (data) => {
          printed += data;
          const [address] = /http:\/\/\S+/.exec(printed) ?? [];
          if (address) resolve(address);
        };
        server.child.stdout.on("data", read);
        server.child.stderr.on("data", read);
        void server.exited.then(() => reject(new Error(`the gateway has ended: ${printed}`)));
      });
      const page = `import { openChat } from "./chat.js";
        let shown = "";
        const chat = await openChat({ url: process.argv[2], show: (text) => { shown = text; } });
        const { status, text } = await chat.send("help");
        console.log(JSON.stringify({ status, isShown: shown !== "" && text.endsWith(shown) }));
        await chat.close();`;
      writeFileSync(join(place, "web-app/page.mjs"), page);
      const { stdout, stderr } = await runIn(join(place, "web-app"), [process.execPath, "page.mjs", url], { env });
      expect({ stdout, stderr }).toEqual({ stdout: '{"status":"completed","isShown":true}\n', stderr: "" });
    } finally {
      server.child.kill();
      await server.exited;
    }
  });

  test.if(where(Bun.which("go") !== null, "needs go"))(
    "a host in Go speaks the protocol itself",
    async () => {
      const env = {
        ...environment("go"),
        GOCACHE: emptyDirectory("go-cache"),
        GOFLAGS: "-mod=mod",
        GO111MODULE: "off",
      };
      const { code, stdout, stderr } = await runIn(place, ["go", "run", "go/main.go", "--model", MODEL], { env });
      expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '{"cost":0,"output":{"owner":""}}\n', stderr: "" });
    },
    PATIENCE_MS,
  );
});

test("the recipes show the code that runs here", () => {
  const shown = [
    "chat-bot.mjs",
    "evaluation.mjs",
    "ci-reviewer.mjs",
    "web-app/chat.js",
    "web-app/main.js",
    "go/main.go",
  ];
  const pages = readdirSync(join(root, "docs/recipes")).map((page) =>
    readFileSync(join(root, "docs/recipes", page), "utf8"),
  );
  const missing = shown.filter((name) => !pages.some((page) => page.includes(readFileSync(join(hosts, name), "utf8"))));
  expect(missing).toEqual([]);
});
