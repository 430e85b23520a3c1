import { expect } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Respond } from "../../../ai/test/support/loopback-server.ts";
import { CHAT, callsTools, chatPlace, says } from "../support/scenarios/chat-server.ts";
import { type Frame, startRpc } from "../support/scenarios/rpc-child.ts";
import { where } from "../support/where.ts";

// A program exchanges a directory and a link hundreds of times in a row while the built program's file tools work below that
// name. What they touch must be what was decided on, whenever the exchange comes. The short pauses let some calls succeed.

const linux = where(
  process.platform === "linux" && existsSync("/usr/bin/python3"),
  "needs Linux and python3, for an exchange in one step",
);

const ATTACKER = `
import ctypes, sys, time
libc = ctypes.CDLL(None)
one, other = (path.encode() for path in sys.argv[1:3])
print("ready", flush=True)
while True:
  for _ in range(500): libc.renameat2(-100, one, -100, other, 2)
  time.sleep(0.002)
`;

const TURNS = 6;
const CALLS = 100;

type Call = (index: number) => { name: string; args: object };

interface Races {
  texts: string[];
  /** Of the directory that is decided on. */
  inside: string;
  outside: string;
}

/** Lets the model make the same kind of call hundreds of times during the exchange. */
async function race(flags: string[], call: Call, use: (races: Races) => void): Promise<void> {
  const turn = (number: number): Respond =>
    callsTools(
      ...Array.from({ length: CALLS }, (_, at) => ({ ...call(number * CALLS + at), id: `call_${number}_${at}` })),
    );
  await using at = await chatPlace(...Array.from({ length: TURNS }, (_, number) => turn(number)), says("done"));
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
  const limits = ["--set", "permissions.maxDenials=0", "--set", "agent.maxTurns=0"];
  await using rpc = await startRpc([...CHAT, ...flags, ...limits], { ...at.place, cwd });
  await rpc.prompt("go");
  attacker.kill("SIGKILL");
  await attacker.exited;
  const ends = rpc.frames.filter(({ type }: Frame) => type === "tool_execution_end");
  expect(ends.length).toBe(TURNS * CALLS);
  const real = readdirSync(cwd, { withFileTypes: true }).find(
    (entry) => entry.isDirectory() && /^(d|link)$/.test(entry.name),
  );
  use({ texts: ends.map(({ result }) => result.content[0].text), inside: join(cwd, real?.name ?? ""), outside });
}

linux.test(
  "no file is written through a link that was exchanged",
  async () => {
    const write: Call = (index) => ({ name: "write", args: { path: `d/new-${index}`, content: "x" } });
    await race(["--permissions", "workspace"], write, ({ inside, outside }) => {
      const written = (directory: string) => readdirSync(directory).filter((name) => name.startsWith("new-")).length;
      expect(written(outside)).toBe(0);
      expect(written(inside)).toBeGreaterThan(0);
    });
  },
  120_000,
);

linux.test(
  "no directory is made through a link that was exchanged",
  async () => {
    const write: Call = (index) => ({ name: "write", args: { path: `d/new-${index}/deep/file`, content: "x" } });
    await race(["--permissions", "workspace"], write, ({ inside, outside }) => {
      const made = (directory: string) => readdirSync(directory).filter((name) => name.startsWith("new-")).length;
      expect(made(outside)).toBe(0);
      expect(made(inside)).toBeGreaterThan(0);
    });
  },
  120_000,
);

linux.test(
  "no file is edited through a link that was exchanged",
  async () => {
    const edit: Call = (index) => ({
      name: "edit",
      args: { path: `d/${index % CALLS}`, edits: [{ oldText: "old", newText: `old ${index}` }] },
    });
    await race(["--permissions", "workspace"], edit, ({ inside, outside }) => {
      const edited = (directory: string) =>
        Array.from({ length: CALLS }, (_, index) => readFileSync(join(directory, `${index}`), "utf8")).filter(
          (text) => text !== "old\n",
        ).length;
      expect(edited(outside)).toBe(0);
      expect(edited(inside)).toBeGreaterThan(0);
    });
  },
  120_000,
);

linux.test(
  "no file is read through a link that was exchanged",
  async () => {
    // Each call is another one: a run of the same call again and again would be ended.
    const read: Call = (index) => ({ name: "read", args: { path: "d/file", limit: index + 1 } });
    await race(["--permissions", "ask"], read, ({ texts }) => {
      expect(texts.filter((text) => text.includes("OUTSIDE")).length).toBe(0);
      expect(texts.filter((text) => text.includes("INSIDE")).length).toBeGreaterThan(0);
    });
  },
  120_000,
);
