import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Respond } from "../../../../ai/test/support/loopback-server.ts";
import { CHAT, callsTools, chatPlace, says } from "./chat-server.ts";
import { type Frame, startRpc } from "./rpc-child.ts";

// A program exchanges a directory and a link hundreds of times in a row while the built program's file tools work below that
// name. The short pauses let some calls succeed.

const ATTACKER = `
import ctypes, sys, time
libc = ctypes.CDLL(None)
one, other = (path.encode() for path in sys.argv[1:3])
print("ready", flush=True)
while True:
  for _ in range(500): libc.renameat2(-100, one, -100, other, 2)
  time.sleep(0.002)
`;

const CALLS = 100;

interface PathRace {
  preset: string;
  call(index: number): { name: string; args: object };
  /** Counts the calls that touched something in a directory, according to its content and to the results. */
  touched(directory: string, texts: readonly string[]): number;
}

const made = (directory: string): number => readdirSync(directory).filter((name) => name.startsWith("new-")).length;

export const PATH_RACES: Readonly<Record<string, PathRace>> = {
  "write a file": {
    preset: "workspace",
    call: (index) => ({ name: "write", args: { path: `d/new-${index}`, content: "x" } }),
    touched: made,
  },
  "make a directory": {
    preset: "workspace",
    call: (index) => ({ name: "write", args: { path: `d/new-${index}/deep/file`, content: "x" } }),
    touched: made,
  },
  "edit a file": {
    preset: "workspace",
    call: (index) => ({
      name: "edit",
      args: { path: `d/${index % CALLS}`, edits: [{ oldText: "old", newText: `old ${index}` }] },
    }),
    touched: (directory) =>
      Array.from({ length: CALLS }, (_, index) => readFileSync(join(directory, `${index}`), "utf8")).filter(
        (text) => text !== "old\n",
      ).length,
  },
  "read a file": {
    preset: "ask",
    // Each call is different, because a run that repeats the same call would be ended.
    call: (index) => ({ name: "read", args: { path: "d/file", limit: index + 1 } }),
    touched: (directory, texts) => {
      const mark = readFileSync(join(directory, "file"), "utf8").trim();
      return texts.filter((text) => text.includes(mark)).length;
    },
  },
};

export interface RaceReport {
  calls: number;
  /** Counts the calls that touched the approved directory, and those that touched the link's target. */
  inside: number;
  outside: number;
}

/** Lets the model make the same kind of call hundreds of times during the exchange. */
export async function runRace({ preset, call, touched }: PathRace, turns: number): Promise<RaceReport> {
  const turn = (number: number): Respond =>
    callsTools(
      ...Array.from({ length: CALLS }, (_, at) => ({ ...call(number * CALLS + at), id: `call_${number}_${at}` })),
    );
  await using at = await chatPlace(...Array.from({ length: turns }, (_, number) => turn(number)), says("done"));
  const { root } = at.place;
  const cwd = join(root, "project");
  mkdirSync(cwd);
  const [inside, link, outside] = [join(cwd, "d"), join(cwd, "link"), join(root, "outside")];
  for (const [directory, content] of [
    [inside, "INSIDE"],
    [outside, "OUTSIDE"],
  ] as const) {
    mkdirSync(directory);
    writeFileSync(join(directory, "file"), `${content}\n`);
    for (let index = 0; index < CALLS; index += 1) writeFileSync(join(directory, `${index}`), "old\n");
  }
  symlinkSync(outside, link);
  const attacker = Bun.spawn(["/usr/bin/python3", "-c", ATTACKER, inside, link], { stdout: "pipe" });
  await attacker.stdout.getReader().read();
  const flags = ["--permissions", preset, "--set", "permissions.maxDenials=0", "--set", "agent.maxTurns=0"];
  await using rpc = await startRpc([...CHAT, ...flags], { ...at.place, cwd });
  await rpc.prompt("go");
  attacker.kill("SIGKILL");
  await attacker.exited;
  const ends = rpc.frames.filter(({ type }: Frame) => type === "tool_execution_end");
  const texts = ends.map(({ result }) => result.content[0].text);
  const real = readdirSync(cwd, { withFileTypes: true }).find(
    (entry) => entry.isDirectory() && /^(d|link)$/.test(entry.name),
  );
  return {
    calls: ends.length,
    inside: touched(join(cwd, real?.name ?? ""), texts),
    outside: touched(outside, texts),
  };
}
