import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ProcessRunner } from "../../../src/processes/process-runner.ts";
import { runShellCommand } from "../../../src/processes/shell/shell-command.ts";
import { Sandbox } from "../../../src/sandbox/sandbox.ts";
import { Arena } from "./arena.ts";
import type { Attempt } from "./escapes/attempt.ts";
import type { World } from "./world.ts";

/** `full`: with everything. `listed`: also with hosts that commands may reach. `partial`: without bubblewrap. `bare`: no sandbox. */
export type Setting = "full" | "listed" | "partial" | "bare";

export interface AttemptResult {
  name: string;
  /** The evidence of an escape; empty if it was stopped. */
  escapes: string[];
  /** The strength that the sandbox reported. */
  level: string;
  /** Details for a person who investigates. */
  output: string;
}

const PRELUDE = `
import ctypes, os, platform, signal, socket, struct, sys, time
libc = ctypes.CDLL(None, use_errno=True)
X64 = platform.machine() == "x86_64"
def call(number, *args):
    return libc.syscall(ctypes.c_long(number), *[ctypes.c_long(a) if isinstance(a, int) else a for a in args])
def escaped(): print("ESCAPED", flush=True)
OUT, MARK, SOCKET, DATAGRAMS, ABSTRACT = (os.environ[name] for name in ("OUT", "MARK", "SOCKET", "DATAGRAMS", "ABSTRACT"))
TCP, UDP, VICTIM = (int(os.environ[name]) for name in ("TCP", "UDP", "VICTIM"))
`;

/** None of them leads to a server outside. */
const LISTED = ["allowed.example", "*.allowed.example", "localhost", "127.0.0.1:1"];
const REQUIRED = { full: "full", listed: "full", partial: "partial", bare: undefined } as const;
const LIMITS = { maxLines: 200, maxBytes: 20_000 };
/** The time in which a process must end; there is no wait for one that has already ended. */
const END_DEADLINE_MS = 10_000;

/** What the attempts of one table share. */
export interface Stage {
  setting: Setting;
  world: World;
  /** A directory for the arenas. */
  base: string;
}

/** The strength is determined once and stored in pintle's directory, as for a user who has run a command before. */
const knownStrength = (base: string) => join(base, "strength.json");

export async function runAttempt(attempt: Attempt, { setting, world, base }: Stage): Promise<AttemptResult> {
  const arena = new Arena(base, attempt.workspace);
  if (existsSync(knownStrength(base))) copyStrength(knownStrength(base), arena.strengthFile);
  const mark = `m${crypto.randomUUID().replaceAll("-", "")}`;
  const victim = startVictim(arena, mark);
  const processRunner = new ProcessRunner({
    environment: { PATH: process.env.PATH, ESCAPE_API_KEY: "SECRET" },
    rules: () => ({
      keyVariables: ["ESCAPE_API_KEY"],
      withhold: [],
      pass: setting === "bare" ? ["ESCAPE_API_KEY"] : [],
    }),
  });
  const sandbox = new Sandbox({
    policy: () =>
      setting === "bare" ? undefined : { ...arena.policy(), ...(setting === "listed" && { network: LISTED }) },
    required: () => REQUIRED[setting],
    directory: `${arena.pintleDirectory}/sandbox`,
    version: "test",
    processRunner: async () => processRunner,
    ...(setting === "partial" && { bubblewrap: null }),
  });
  const env = { ...arena.env(), ...world.env, MARK: mark, VICTIM: String(victim.pid) };
  try {
    if (attempt.before) outside(attempt.before, env);
    const level = setting === "bare" ? "none" : (await sandbox.strength()).level;
    // The sandbox creates what it needs before the snapshot is taken.
    if (setting !== "bare") {
      const made = await sandbox.wrap({ command: ["/bin/true"], cwd: arena.workspace, env });
      made.afterwards?.();
      copyStrength(arena.strengthFile, knownStrength(base));
    }
    await world.touched();
    const before = arena.snapshot();
    const { output } = await runShellCommand(processRunner, {
      command: "sh" in attempt.run ? attempt.run.sh : 'exec /usr/bin/python3 -c "$SCRIPT"',
      cwd: arena.workspace,
      env: {
        ...env,
        ...expand(attempt.env ?? {}, env),
        ...("python" in attempt.run && { SCRIPT: PRELUDE + attempt.run.python }),
      },
      shellPath: "/bin/bash",
      timeoutMs: 30_000,
      limits: LIMITS,
      wrap: (start) => sandbox.wrap(start),
    });
    await processRunner.killAll("session_change", 0);
    const isExpectedToLive = setting === "bare" || (setting === "partial" && attempt.partial !== "stopped");
    const survivors = await findSurvivors(mark, isExpectedToLive);
    const escapes = [
      ...(output.includes("ESCAPED") ? ["said so"] : []),
      ...difference(before, arena.snapshot()),
      ...(await world.touched()).map((what) => `reached: ${what}`),
      ...survivors.map(() => "lives on"),
    ];
    for (const pid of survivors) process.kill(pid, "SIGKILL");
    return { name: attempt.name, escapes, level, output };
  } finally {
    if (attempt.after) outside(attempt.after, env);
    victim.kill("SIGKILL");
    await victim.exited;
    await processRunner.killAll("shutdown", 0);
    arena.remove();
  }
}

/** A user process that is unrelated to the command. */
function startVictim(arena: Arena, mark: string): Bun.Subprocess {
  return Bun.spawn(["/bin/sh", "-c", "read never", `victim-of-${mark}`], {
    cwd: `${arena.root}/outside`,
    env: { KEY: "SECRET-OF-PROCESS" },
    stdio: ["pipe", "ignore", "ignore"],
  });
}

function copyStrength(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
}

function outside(script: string, env: Record<string, string>): void {
  const { exitCode, stderr } = Bun.spawnSync(["/bin/sh", "-c", script], { env: { ...env, PATH: process.env.PATH } });
  if (exitCode !== 0) throw new Error(`${script}: ${stderr}`);
}

function expand(values: Readonly<Record<string, string>>, env: Record<string, string>): Record<string, string> {
  const fill = (text: string) => text.replace(/\$(\w+)/g, (_, name: string) => env[name] ?? "");
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fill(value)]));
}

async function findSurvivors(mark: string, isExpected: boolean): Promise<number[]> {
  const deadline = performance.now() + END_DEADLINE_MS;
  for (;;) {
    const found = processesWith(mark);
    if (found.length === 0 || isExpected || performance.now() > deadline) return found;
    await Bun.sleep(10);
  }
}

function processesWith(mark: string): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid)
    .filter((pid) => {
      const words = commandLine(pid);
      return words.includes(mark) && !words.includes("victim-of-");
    });
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    return ""; // ended since the directory was listed
  }
}

function difference(before: readonly string[], after: readonly string[]): string[] {
  const [old, now] = [new Set(before), new Set(after)];
  return [
    ...before.filter((line) => !now.has(line)).map((line) => `gone: ${line}`),
    ...after.filter((line) => !old.has(line)).map((line) => `new: ${line}`),
  ];
}
