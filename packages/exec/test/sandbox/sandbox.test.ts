import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, fstatSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchPath } from "../../../../test/support/scratch-directory.mjs";
import { where } from "../../../coding-agent/test/support/where.ts";
import { ProcessRunner } from "../../src/processes/process-runner.ts";
import { runShellCommand, type ShellCommand, type ShellResult } from "../../src/processes/shell/shell-command.ts";
import type { SandboxPolicy } from "../../src/sandbox/policy.ts";
import { Sandbox, type SandboxParts } from "../../src/sandbox/sandbox.ts";
import type { Strength } from "../../src/sandbox/strength.ts";
import { Arena } from "../support/sandbox/arena.ts";
import { availableStrength } from "../support/sandbox/available.ts";

const available = await availableStrength();
const full = where(available.full === "full", "needs bubblewrap, Landlock and seccomp");
const partial = where(available.partial === "partial", "needs Landlock and seccomp");

let base: string;
let arena: Arena;
let processRunner: ProcessRunner;

beforeEach(() => {
  base = scratchPath();
  arena = new Arena(base);
  processRunner = new ProcessRunner({ environment: process.env });
});

afterEach(async () => {
  await processRunner.killAll("shutdown", 0);
  rmSync(base, { recursive: true, force: true });
});

function open(policy: Partial<SandboxPolicy> = {}, parts: Partial<SandboxParts> = {}): Sandbox {
  return new Sandbox({
    policy: () => ({ ...arena.policy(), ...policy }),
    required: () => undefined,
    directory: join(arena.pintleDirectory, "sandbox"),
    version: "1",
    processRunner: async () => processRunner,
    ...parts,
  });
}

function run(sandbox: Sandbox, command: string, more: Partial<ShellCommand> = {}): Promise<ShellResult> {
  return runShellCommand(processRunner, {
    command,
    cwd: arena.workspace,
    limits: { maxLines: 100, maxBytes: 10_000 },
    wrap: (start) => sandbox.wrap(start),
    ...more,
  });
}

async function outcome(sandbox: Sandbox, command: string, more?: Partial<ShellCommand>) {
  const { output, end } = await run(sandbox, command, more);
  return { output: output.trim(), end };
}

const ended = (exitCode: number) => ({ kind: "exited" as const, exitCode });

full.describe("with everything", () => {
  test("a command writes to workspace, temp and caches", async () => {
    const { root, home } = arena;
    const places = [arena.workspace, join(root, "temp"), join(home, ".cache")].map((place) => join(place, "made"));
    const script = places.map((path) => `echo here > '${path}'`).join(" && ");
    expect(await outcome(open(), script)).toEqual({ output: "", end: ended(0) });
    expect(places.map((path) => readFileSync(path, "utf8"))).toEqual(["here\n", "here\n", "here\n"]);
  });

  test("git commits, while its hooks and configuration cannot be changed", async () => {
    rmSync(join(arena.workspace, ".git"), { recursive: true });
    const git = (...args: string[]) => Bun.spawnSync(["git", ...args], { cwd: arena.workspace }).exitCode;
    expect(git("init", "-q", "-b", "main")).toBe(0);
    const script =
      "echo x > a; git add a && git -c user.name=a -c user.email=a@b commit -qm one && git log --format=%s && git mv a b && git stash -q";
    const asUser = {
      GIT_AUTHOR_NAME: "a",
      GIT_AUTHOR_EMAIL: "a@b",
      GIT_COMMITTER_NAME: "a",
      GIT_COMMITTER_EMAIL: "a@b",
    };
    expect(await outcome(open(), script, { env: asUser })).toEqual({ output: "one", end: ended(0) });
  });

  test("devices, descriptors and here-documents work", async () => {
    const script = "echo a >/dev/stdout; echo b >/dev/null; cat <<E\nc\nE\ncat <(echo d); head -c1 /dev/zero | wc -c";
    expect(await outcome(open(), script)).toEqual({ output: "a\nc\nd\n1", end: ended(0) });
  });

  test("a server and its client talk to each other on loopback", async () => {
    const script = `exec /usr/bin/python3 -c '
import socket
s = socket.create_server(("127.0.0.1", 0)); c = socket.create_connection(s.getsockname()); c.sendall(b"hello")
print(s.accept()[0].recv(5).decode())'`;
    expect(await outcome(open(), script)).toEqual({ output: "hello", end: ended(0) });
  });

  test("network `on` is the network of the system", async () => {
    const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("from outside") });
    try {
      const script = `exec 3<>/dev/tcp/127.0.0.1/${server.port}; printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3; tail -n1 <&3`;
      expect(await outcome(open({ network: "on" }), script)).toEqual({ output: "from outside", end: ended(0) });
      expect((await outcome(open(), script)).end).toEqual(ended(1));
    } finally {
      await server.stop(true);
    }
  });

  test("read-only, nothing can be written but a place for temporary files that is gone afterwards", async () => {
    const sandbox = open({ mode: "read-only" });
    await run(sandbox, "true");
    const before = arena.snapshot();
    expect((await outcome(sandbox, "echo x > new")).end).toEqual(ended(1));
    expect((await outcome(sandbox, "echo x > '../temp/new'")).end).toEqual(ended(1));
    expect(await outcome(sandbox, 'f=$(mktemp) && echo x > "$f" && cat "$f"')).toEqual({ output: "x", end: ended(0) });
    expect(arena.snapshot()).toEqual(before);
    expect(readdirSync(join(arena.root, "temp"))).toEqual([]);
  });

  test("a workspace in a hidden place can be worked in", async () => {
    const workspace = join(arena.pintleDirectory, "projects/one");
    mkdirSync(workspace, { recursive: true });
    const script = "echo x > made && cat made; cat ../../auth.json";
    expect(await outcome(open({ workspaces: [workspace] }), script, { cwd: workspace })).toEqual({
      output: expect.stringMatching(/^x\ncat: .*auth\.json.*: No such file or directory$/),
      end: ended(1),
    });
  });

  test("the root directory can be the workspace", async () => {
    const wasThere = existsSync("/.pintle");
    const script = `echo x > '${join(arena.root, "outside/made")}' && echo y >/dev/null && ls /proc/self/fd >/dev/null; cat '${arena.home}/.ssh/id_rsa'`;
    const { output } = await outcome(open({ workspaces: ["/"] }), script, { cwd: "/" });
    expect(output).toMatch(/^cat: .*id_rsa.*: No such file or directory$/);
    expect(existsSync(join(arena.root, "outside/made"))).toBe(true);
    if (!wasThere && existsSync("/.pintle")) rmdirSync("/.pintle");
  });

  test("a directory above a protected place keeps its name", async () => {
    const workspace = join(arena.root, "temp/group/project");
    mkdirSync(join(workspace, ".git"), { recursive: true });
    const script = 'mv "$TEMP/group" "$TEMP/other"';
    const { end } = await outcome(open({ workspaces: [workspace] }), script, {
      env: { TEMP: join(arena.root, "temp") },
    });
    expect(end).toEqual(ended(1));
  });

  test("a command that is stopped has its time to end", async () => {
    const stop = new AbortController();
    const script = `trap 'echo goodbye; exit 7' TERM; echo ready; while :; do sleep 0.05; done`;
    const { output, end } = await run(open(), script, {
      signal: stop.signal,
      onChunk: (chunk) => {
        if (new TextDecoder().decode(chunk).includes("ready")) stop.abort();
        return undefined;
      },
    });
    // In between, the shell may report that its sleep was killed.
    expect({ output, end }).toEqual({
      output: expect.stringMatching(/^ready\n(.*\n)?goodbye\n$/),
      end: { kind: "cancelled" },
    });
  });

  test("a command that ignores it is killed, with all that it started", async () => {
    const stop = new AbortController();
    const script = `trap '' TERM; setsid sleep 300 & echo ready; while :; do sleep 0.05; done`;
    const { end } = await run(open(), script, {
      signal: stop.signal,
      onChunk: (chunk) => {
        if (new TextDecoder().decode(chunk).includes("ready")) stop.abort();
        return undefined;
      },
    });
    expect(end).toEqual({ kind: "cancelled" });
  });

  test("programs that a project puts on the PATH do not build the sandbox", async () => {
    const bin = join(arena.workspace, "bin");
    mkdirSync(bin);
    const proof = join(arena.root, "outside/proof");
    for (const name of ["bwrap", "sh", "env"]) {
      writeFileSync(join(bin, name), `#!/bin/sh\necho ran > '${proof}'\n`, { mode: 0o755 });
    }
    processRunner = new ProcessRunner({
      environment: { ...process.env, PATH: `${bin}:${process.env.PATH}`, "odd.name": "1" },
    });
    await run(open(), "true", { env: { A: "1" } });
    expect(existsSync(proof)).toBe(false);
  });

  test("the strength is determined once, and each session is notified", async () => {
    const told: Strength[] = [];
    const first = open({}, { onFound: (strength) => told.push(strength) });
    expect(first.knownStrength()).toBeUndefined();
    const found = await first.strength();
    expect(found.level).toBe("full");
    const second = open({}, { onFound: (strength) => told.push(strength) });
    expect(second.knownStrength()).toEqual(found);
    expect(await second.strength()).toEqual(found);
    expect(told).toEqual([found, found]);
    // Another version may have other requirements.
    expect(open({}, { version: "2" }).knownStrength()).toBeUndefined();
  });
});

full.describe("with a list of hosts", () => {
  let web: Bun.Server<undefined>;
  beforeEach(() => {
    web = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: ({ url }) => new Response(`served ${new URL(url).pathname}`),
    });
  });
  afterEach(() => web.stop(true));

  const listed = () => open({ network: [`localhost:${web.port}`, `127.0.0.1:${web.port}`] });
  // Because of NO_PROXY, curl uses no proxy for loopback names, which are all that a test can reach.
  const curl = (options: string) => `curl -sS --noproxy '' ${options}`;

  test("a command reaches them through the proxy, over HTTP, a tunnel and SOCKS", async () => {
    const at = `http://localhost:${web.port}`;
    const script = [
      curl(`${at}/http`),
      curl(`--proxytunnel ${at}/tunnel`),
      curl(`--proxy socks5h://127.0.0.1:\${HTTP_PROXY##*:} ${at}/socks`),
      curl(`http://127.0.0.1:${web.port}/address`),
    ].join("; echo; ");
    expect(await outcome(listed(), script)).toEqual({
      output: "served /http\nserved /tunnel\nserved /socks\nserved /address",
      end: ended(0),
    });
  });

  test("nothing else is reached, and what was refused is known", async () => {
    const sandbox = listed();
    let refusals: (() => string[]) | undefined;
    const direct = `curl -sS --noproxy '*' http://127.0.0.1:${web.port}/`;
    const script = `${curl("http://other.example/")}; ${curl("https://other.example/")}; ${direct}`;
    const { output, end } = await run(sandbox, script, {
      wrap: async (start) => {
        const wrapped = await sandbox.wrap(start);
        refusals = wrapped.refusals;
        return wrapped;
      },
    });
    expect(output).toMatch(/^network: other\.example is not in sandbox\.network\n.*403\n.*Failed to connect/);
    expect(end).toEqual(ended(7));
    expect(refusals?.()).toEqual(["network: other.example is not in sandbox.network"]);
  });

  test("the variables of a proxy are set in both spellings, unless the call sets them", async () => {
    const names = ["HTTP_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy"];
    const { output } = await outcome(listed(), names.map((name) => `echo "$${name}"`).join("; "), {
      env: { https_proxy: "http://own.example" },
    });
    const proxy = "http://127.0.0.1:48128";
    const direct = "localhost,127.0.0.1,::1";
    expect(output.split("\n")).toEqual([proxy, "http://own.example", proxy, proxy, direct, direct]);
  });

  test("commands at the same time have a proxy each", async () => {
    const [first, second] = [listed(), open({ network: [] })];
    const script = curl(`http://localhost:${web.port}/x`);
    const ran = await Promise.all([first, second, first].map((sandbox) => outcome(sandbox, script)));
    const refused = `network: localhost:${web.port} is not in sandbox.network`;
    expect(ran.map(({ output }) => output)).toEqual(["served /x", refused, "served /x"]);
  });

  test("a command that is not started leaves nothing open", async () => {
    const { descriptors = [], afterwards } = await listed().wrap({ command: ["/bin/true"], cwd: "/", env: {} });
    expect(descriptors.map((descriptor) => fstatSync(descriptor).isSocket())).toEqual([true]);
    afterwards?.();
    for (const descriptor of descriptors) expect(() => fstatSync(descriptor)).toThrow("EBADF");
  });

  test("without namespaces a command is refused, and does not get all of the network", async () => {
    const sandbox = open({ network: ["registry.example"] }, { bubblewrap: null });
    const error = await run(sandbox, "echo never").catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "sandbox_too_weak" });
    expect(String(error)).toContain(
      "Not started: sandbox.network lists hosts, and this system cannot limit a command to them",
    );
  });
});

partial.describe("with Landlock alone", () => {
  const alone = { bubblewrap: null };

  test("says what it cannot do", async () => {
    const { level, missing } = await open({}, alone).strength();
    expect(level).toBe("partial");
    expect(missing).toContain("hidden files can be read");
  });

  test("a command writes to the workspace and nowhere else", async () => {
    const script = "echo x > made && cat made; echo y > ../outside/victim";
    expect(await outcome(open({}, alone), script)).toEqual({
      output: expect.stringMatching(/^x\n.*victim: Permission denied$/),
      end: ended(1),
    });
  });

  test("a project is not given directories that could not be protected", async () => {
    rmSync(join(arena.workspace, ".pintle"), { recursive: true });
    await run(open({}, alone), "true");
    expect(existsSync(join(arena.workspace, ".pintle"))).toBe(false);
  });

  test("is not enough where everything is required", async () => {
    const sandbox = open({}, { ...alone, required: () => "full" });
    const error = await run(sandbox, "echo never").catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "sandbox_too_weak" });
    expect(String(error)).toContain(
      "sandbox.require asks for full, and this system gives partial (hidden files can be read;",
    );
  });

  test("is enough where it is what is required", async () => {
    const sandbox = open({}, { ...alone, required: () => "partial" });
    expect(await outcome(sandbox, "echo ran")).toEqual({ output: "ran", end: ended(0) });
  });
});

describe("without a sandbox", () => {
  test("a command is started as it is, and nothing is tried out", async () => {
    const sandbox = open({}, { policy: () => undefined });
    expect(sandbox.mode).toBe("off");
    const start = { command: ["/bin/echo", "a"] as const, cwd: "/", env: { A: "1" } };
    expect(await sandbox.wrap(start)).toEqual({ command: ["/bin/echo", "a"], env: { A: "1" }, isSupervised: false });
    expect(existsSync(join(arena.pintleDirectory, "sandbox"))).toBe(false);
  });
});

full.describe("variables of a command", () => {
  test("are set and removed inside, and nothing of them is seen outside", async () => {
    const env = { LD_PRELOAD: "/no/such/library.so", GREETING: "a = b", HOME: undefined };
    const wrapped = await open().wrap({ command: ["/bin/sh", "-c", ":"], cwd: "/", env });
    expect(wrapped.env).toEqual({});
    const { output } = await outcome(open(), 'echo "$GREETING" "$(printenv HOME || echo none)"', {
      env: { GREETING: "a = b", HOME: undefined },
    });
    expect(output).toBe("a = b none");
  });
});
