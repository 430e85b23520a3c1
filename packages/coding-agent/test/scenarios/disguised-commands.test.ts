import { afterEach, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { startLoopbackServer } from "../../../ai/test/support/loopback-server.ts";
import { availableStrength } from "../../../exec/test/support/sandbox/available.ts";
import { program } from "../support/program.ts";
import { callsTools, says } from "../support/scenarios/chat-server.ts";
import { type Frame, type RpcChild, startRpc } from "../support/scenarios/rpc-child.ts";
import { type Machine, machine, sessionFiles } from "../support/scenarios/stored-sessions.ts";

const stack = new AsyncDisposableStack();
let open: AsyncDisposableStack = stack;
afterEach(async () => {
  await open.disposeAsync();
});

interface Stage {
  rpc: RpcChild;
  place: Machine;
  project: string;
}

/**
 * Starts the program in a project with a secret next to it, and a model that runs these commands: in one message without a sandbox,
 * unless the flags choose one, otherwise one by one.
 */
async function stage(
  commands: readonly (string | object)[],
  flags: readonly string[],
  env: object = {},
): Promise<Stage> {
  open = new AsyncDisposableStack();
  const place = open.use(machine());
  const project = join(place.root, "project");
  mkdirSync(join(project, ".git/hooks"), { recursive: true });
  const files: Record<string, string> = {
    "a.txt": "x\n",
    "in.txt": "input\n",
    magicf: "0 string x y\n",
    "../secret": "SECRET\n",
    "../.ssh/id_rsa": "SECRET\n",
  };
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(project, name)), { recursive: true });
    writeFileSync(join(project, name), content);
  }
  for (const [name, script] of Object.entries({ "evil.sh": "touch PWNED", check: "echo checked" })) {
    writeFileSync(join(project, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(project, name), 0o755);
  }
  const calls = commands.map((command, index) => ({
    name: "bash",
    args: typeof command === "string" ? { command } : command,
    id: `call_${index}`,
  }));
  const messages = flags.includes("--sandbox") ? calls.map((call) => callsTools(call)) : [callsTools(...calls)];
  const server = open.use(await startLoopbackServer(...messages, says("done")));
  const home = String(place.env.PINTLE_HOME);
  mkdirSync(home, { recursive: true });
  const provider = { baseUrl: server.url, api: "openai-completions", auth: "none", models: [{ id: "m" }] };
  writeFileSync(join(home, "models.json"), JSON.stringify({ providers: { local: provider } }));
  const own = ["--model", "local/m", "--set", "permissions.maxDenials=0"];
  if (!flags.includes("--sandbox")) own.push("--sandbox", "off");
  // The program brings its own ripgrep.
  const path = `${place.env.PATH}:${join(dirname(program), "native")}`;
  const at = { cwd: project, env: { ...place.env, HOME: place.root, PATH: path, ...env } };
  const rpc = open.use(await startRpc([...own, ...flags], at));
  return { rpc, place, project };
}

/** In the order of the calls, which may differ from the order in which they end. */
const results = ({ frames }: RpcChild): string[] => {
  const number = ({ toolCallId }: Frame) => Number(String(toolCallId).replace("call_", ""));
  const ends = frames.filter(({ type }) => type === "tool_execution_end").sort((a, b) => number(a) - number(b));
  return ends.map(({ result }) => result.content[0].text);
};

const MARK = "sh -c 'touch PWNED' \\;";

/** Commands that a careless parser would mistake for read-only ones. */
const DISGUISED = [
  `find . -maxdepth 0 -ex\\\nec ${MARK}`,
  `find . -maxdepth 0 -ex''\\ec ${MARK}`,
  `find . -maxdepth 0 -"ex"\\ec ${MARK}`,
  `find . -maxdepth 0 -name ]\\x -o -ex''\\ec ${MARK}`,
  `find -- . -maxdepth 0 -exec ${MARK}`,
  "sort a.txt -oPWNED1>/dev/null",
  "sort a.txt -o.git/hooks/post-commit1>/dev/null",
  "sort a.txt -oPWNED",
  "cat .\\\n./secret",
  "cat ../sec''\\ret",
  "cat ~/.s\\\nsh/id_rsa",
  "cat {}\\/../../secret",
  "rg -e -- --pre=./evil.sh x a.txt",
  "rg --pre ./evil.sh x a.txt",
  "file -F -- -C -m magicf",
  "tree -P -- -o PWNED",
  "git pu\\\nsh",
];

describe("disguised commands without a sandbox", () => {
  for (const preset of ["plan", "ask", "workspace"]) {
    test(`runs nothing without approval under ${preset}`, async () => {
      const { rpc, project } = await stage(DISGUISED, ["--permissions", preset]);
      const before = readdirSync(project, { recursive: true }).sort();
      await rpc.prompt("go");
      expect(results(rpc)).toHaveLength(DISGUISED.length);
      for (const [index, text] of results(rpc).entries())
        expect([DISGUISED[index], text]).toEqual([DISGUISED[index], expect.stringContaining("Permission denied")]);
      expect(readdirSync(project, { recursive: true }).sort()).toEqual(before);
      expect(JSON.stringify(rpc.frames)).not.toContain("SECRET");
    });
  }

  test("a forbidden program that is split over two lines does not run, whatever the preset", async () => {
    const rules = [
      { effect: "deny", command: "git push *" },
      { effect: "deny", command: "./evil.sh" },
    ];
    const flags = ["--permissions", "full", "--set", `permissions.rules=${JSON.stringify(rules)}`];
    const disguised = ["git pu\\\nsh", "./ev\\\nil.sh", "./ev''\\il.sh", "./ev?l.sh", "git --no-pager push"];
    const { rpc, project } = await stage([...disguised, "echo fine"], flags);
    await rpc.prompt("go");
    for (const text of results(rpc).slice(0, disguised.length)) expect(text).toContain("Permission denied");
    expect(results(rpc).at(-1)).toBe("fine\n");
    expect(existsSync(join(project, "PWNED"))).toBe(false);
  });

  test("a search of the home directory does not print its keys", async () => {
    const searches = ["grep -r SECRET ..", "rg --hidden SECRET ..", "rg -uuu -eSECRET ..", "cat ../.ssh/id_rsa"];
    const { rpc } = await stage([...searches, "grep -r x ."], ["--permissions", "ask", "--add-dir", ".."]);
    await rpc.prompt("go");
    for (const text of results(rpc).slice(0, searches.length)) expect(text).toContain("Permission denied");
    expect(results(rpc).at(-1)).toContain("a.txt");
    expect(results(rpc).join()).not.toContain("id_rsa:");
  });

  test("a program that the project adds to PATH is not treated as the known one", async () => {
    const { rpc, project, place } = await stage(["ls"], ["--permissions", "ask"], {
      PATH: `./node_modules/.bin:${process.env.PATH}`,
    });
    mkdirSync(join(project, "node_modules/.bin"), { recursive: true });
    writeFileSync(join(project, "node_modules/.bin/ls"), "#!/bin/sh\ntouch PWNED\n", { mode: 0o755 });
    await rpc.prompt("go");
    expect(results(rpc)[0]).toContain("Permission denied");
    expect(existsSync(join(place.root, "project/PWNED"))).toBe(false);
  });
});

describe("the command that runs is the one that was judged", () => {
  /** The shell prints each line that it reads. */
  const shown = ["--set", "shellCommandPrefix=set -v"];
  const text = "echo  'a'\"b\"  # a comment";

  test("runs a command allowed by a preset as parsed, and shows it as written", async () => {
    const { rpc, place } = await stage([text], ["--permissions", "ask", ...shown]);
    await rpc.prompt("go");
    expect(results(rpc)).toEqual(["'echo' 'a''b'\nab\n"]);
    const [start] = rpc.frames.filter(({ type }) => type === "tool_execution_start");
    expect(start?.args).toEqual({ command: text });
    const [file = ""] = sessionFiles(place.sessionDir);
    expect(readFileSync(file, "utf8")).toContain(JSON.stringify(text).slice(1, -1));
    expect(readFileSync(file, "utf8")).not.toContain(JSON.stringify({ command: "'echo' 'a''b'" }).slice(1, -1));
  });

  test("runs a command allowed by a rule as parsed", async () => {
    const rules = [{ effect: "allow", command: "./check" }];
    const flags = ["--permissions", "ask", "--set", `permissions.rules=${JSON.stringify(rules)}`, ...shown];
    const { rpc } = await stage(["./check   # x"], flags);
    await rpc.prompt("go");
    expect(results(rpc)).toEqual(["'./check'\nchecked\n"]);
    expect(rpc.frames.find(({ type }) => type === "approval_resolved")).toMatchObject({ by: "rule", layer: "user" });
  });

  test("runs a command allowed by the user as the question showed it", async () => {
    const command = "touch  made  # a comment";
    const { rpc, project } = await stage([command], ["--permissions", "ask", ...shown]);
    await rpc.call("set_host_capabilities", { approvals: true });
    await rpc.call("prompt", { message: "go" });
    const { id, request } = await rpc.until(({ type }) => type === "approval_request");
    expect(request).toMatchObject({ title: "bash touch made # a comment", command: { text: command } });
    rpc.send({ type: "approval_response", id, decision: "allow_once" });
    await rpc.until(({ type }) => type === "agent_settled");
    expect(results(rpc)).toEqual([`${command}\n`]);
    expect(existsSync(join(project, "made"))).toBe(true);
  });
});

test("combines rules and read-only programs to allow a line", async () => {
  const rules = [
    { effect: "allow", command: "./check" },
    { effect: "deny", path: "**/a.txt" },
  ];
  const flags = ["--permissions", "ask", "--set", `permissions.rules=${JSON.stringify(rules)}`];
  const commands = [
    "./check | head -3",
    "./check && cat in.txt",
    "cd . && ./check; ls in.txt",
    "./check && cat a.txt",
    "./check && touch made",
    "./check | head -3 > made",
    "./check && cat ../secret",
  ];
  const { rpc, project } = await stage(commands, flags);
  await rpc.prompt("go");
  const [first, second, third, ...others] = results(rpc);
  expect([first, second, third]).toEqual(["checked\n", "checked\ninput\n", "checked\nin.txt\n"]);
  for (const text of others) expect(text).toContain("Permission denied");
  expect(others).toHaveLength(4);
  expect(existsSync(join(project, "made"))).toBe(false);
});

test("a rule for a command does not allow it in another directory", async () => {
  const rules = [
    { effect: "allow", command: "./check" },
    { effect: "allow", command: "cd approved" },
  ];
  const commands = [
    "cd sub && ./check",
    { command: "./check", cwd: "sub" },
    "cd approved && ./check",
    { command: "./check", cwd: "approved" },
  ];
  const flags = ["--permissions", "ask", "--set", `permissions.rules=${JSON.stringify(rules)}`];
  const { rpc, project } = await stage(commands, flags);
  for (const folder of ["sub", "approved"]) {
    mkdirSync(join(project, folder));
    writeFileSync(join(project, folder, "check"), `#!/bin/sh\necho in ${folder}\n`, { mode: 0o755 });
  }
  await rpc.prompt("go");
  const [first, second, ...approved] = results(rpc);
  expect(first).toContain("Permission denied");
  expect(second).toContain("Permission denied");
  expect(approved).toEqual(["in approved\n", "in approved\n"]);
});

const { full } = await availableStrength();

test.skipIf(full !== "full" || !Bun.which("git"))(
  "a command allowed as read-only cannot write, even if the repository configures a program that git starts",
  async () => {
    const { rpc, project } = await stage(
      ["ls", "cd bare && git status", "cd bare && git diff"],
      ["--permissions", "ask", "--sandbox", "workspace-write"],
    );
    // A bare repository can be part of what was cloned.
    for (const folder of ["objects", "refs"]) mkdirSync(join(project, "bare", folder), { recursive: true });
    writeFileSync(join(project, "bare/HEAD"), "ref: refs/heads/main\n");
    const config = `[core]\nrepositoryformatversion=0\nbare=false\nworktree=..\nfsmonitor="echo ran >&2; touch ${project}/PWNED"\n`;
    writeFileSync(join(project, "bare/config"), config);
    await rpc.prompt("go");
    expect(results(rpc)).toHaveLength(3);
    expect(results(rpc)[1]).toContain("ran");
    expect(results(rpc).join("")).not.toContain("Permission denied");
    expect(existsSync(join(project, "PWNED"))).toBe(false);
  },
);
