// Measures what permissions and the sandbox cost a turn with a tool call, in the whole program: preset `workspace` with and
// without the sandbox, against preset `full` in the same run. The three take turns, so that other load affects all of them.
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { Host } from "./side-by-side/host.ts";
import { startModelServer, text, toolCall } from "./side-by-side/model-server.ts";
import { prepareSubjects } from "./side-by-side/subjects.ts";
import { cpuMs } from "./side-by-side/usage.ts";
import { median, printTable } from "./support/table.ts";

const TURNS = 20;
const ROUNDS = 15;

const VARIANTS: Readonly<Record<string, readonly string[]>> = {
  full: ["--permissions", "full"],
  "workspace, no sandbox": ["--permissions", "workspace", "--sandbox", "off"],
  "workspace, sandbox": ["--permissions", "workspace"],
};

using server = startModelServer();
const { present, scratch } = prepareSubjects(server.url, ["pintle full"]);
const subject = present[0]!;
// Outside of the directories for temporary files: with a writable home the sandbox protects each start-up file of a shell.
const caches = join(homedir(), ".cache");
mkdirSync(caches, { recursive: true });
const place = mkdtempSync(join(caches, "pintle-bench-"));
const [home, cwd] = [join(place, "home"), join(place, "project")];
cpSync(subject.env.HOME ?? "", home, { recursive: true });
mkdirSync(join(cwd, ".git/hooks"), { recursive: true });
const env = { ...subject.env, HOME: home, PINTLE_HOME: join(home, ".pintle") };
writeFileSync(join(cwd, "notes.txt"), "a line\n".repeat(TURNS + 1));

const TOOLS: Readonly<Record<string, (turn: number) => object>> = {
  read: (turn) => ({ path: "notes.txt", offset: turn, limit: 1 }),
  write: (turn) => ({ path: "out.txt", content: `${turn}` }),
  bash: (turn) => ({ command: `echo ${turn}` }),
};

interface Turn {
  ms: number;
  cpu: number;
}

/** The mean of a turn in one run of many. CPU is that of pintle, without the command's. */
async function measure(host: Host, tool: string): Promise<Turn> {
  await host.call("new_session");
  server.answer = (count) => (count <= TURNS ? toolCall(tool, TOOLS[tool]!(count)) : text("done"));
  const before = cpuMs(host.pid);
  await host.prompt("go");
  const { requests } = server;
  if (requests.length !== TURNS + 1) throw new Error(`${requests.length - 1} of ${TURNS} turns with ${tool}`);
  return { ms: (requests.at(-1)! - requests[0]!) / TURNS, cpu: (cpuMs(host.pid) - before) / TURNS };
}

const hosts = Object.entries(VARIANTS).map(
  ([name, args]) => [name, new Host({ ...subject, cwd, env, command: [...subject.command, ...args] })] as const,
);
const turns = new Map<string, Turn[]>();
try {
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const tool of Object.keys(TOOLS)) {
      for (const [name, host] of hosts) {
        const turn = await measure(host, tool);
        const key = `${tool} ${name}`;
        if (round > 0) turns.set(key, [...(turns.get(key) ?? []), turn]); // the first one loads what is used
      }
    }
  }
} finally {
  for (const [, host] of hosts) await host[Symbol.asyncDispose]();
  for (const path of [scratch, place]) rmSync(path, { recursive: true, force: true });
}

const of = (tool: string, name: string, figure: keyof Turn) =>
  median((turns.get(`${tool} ${name}`) ?? []).map((turn) => turn[figure]));
printTable([
  ["one turn with", "preset", "ms", "over full", "ratio", "CPU ms", "over full", "ratio"],
  ...Object.keys(TOOLS).flatMap((tool) =>
    Object.keys(VARIANTS).map((name) => [
      tool,
      name,
      ...(["ms", "cpu"] as const).flatMap((figure) => {
        const [own, base] = [of(tool, name, figure), of(tool, "full", figure)];
        return [own.toFixed(2), (own - base).toFixed(2), (own / base).toFixed(2)];
      }),
    ]),
  ),
]);
