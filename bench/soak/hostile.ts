// The built program in generated repositories that try to act, to be read from outside or to stop it: `bun bench/soak/hostile.ts
// [repositories [first-seed]]` from the repository's root, after a build. Nothing of a repository may run, be contacted, reach a file
// outside or change one; every run must end. Linux only.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { startLoopbackServer } from "../../packages/ai/test/support/loopback-server.ts";
import { randomOf } from "../../packages/coding-agent/test/support/fuzz/random.ts";
import { CHAT, callsTools, chatPlace, says } from "../../packages/coding-agent/test/support/scenarios/chat-server.ts";
import { startRpc } from "../../packages/coding-agent/test/support/scenarios/rpc-child.ts";
import { makeHostileRepository } from "./hostile-repository.ts";

const [count = 300, firstSeed = 1] = process.argv.slice(2).map(Number);
const DEADLINE_MS = 600_000;
const PRESETS = ["plan", "ask", "workspace"];

const bash = (command: string) => ({ name: "bash", args: { command } });
/** What a model does in a repository that it does not know, and what the repository asks it to do. */
const CALLS = [
  { name: "ls", args: {} },
  { name: "ls", args: { path: "odd" } },
  { name: "find", args: { pattern: "**/*" } },
  { name: "grep", args: { pattern: "SECRET|odd" } },
  { name: "ast_grep", args: { pattern: "const $A = $B" } },
  ...[
    "AGENTS.md",
    "link",
    "up/secret",
    "root/etc/passwd",
    "environment",
    "huge",
    "long.ts",
    "deep.json",
    "odd/-rf",
  ].map((path) => ({ name: "read", args: { path } })),
  ...[".git/hooks/pre-push", "dangling", "up/made", ".pintle/extensions/c.ts", "../made"].map((path) => ({
    name: "write",
    args: { path, content: "x" },
  })),
  ...[
    "ls -la",
    "ls odd",
    "cat link",
    "cat up/secret",
    "git status",
    "git diff",
    "git log -3",
    "rg SECRET",
    "grep -rn SECRET .",
  ].map(bash),
  ...[
    "find . -name '*.md'",
    "cat AGENTS.md",
    "head -c 100 huge",
    "tail -n 3 long.ts",
    "sort odd/*",
    "cat root/etc/shadow",
  ].map(bash),
  ...["npm test", "./evil.sh", "cat $(ls odd)", "node evil.ts", "cp link here && cat here"].map(bash),
];

/** Everything below a directory, without following links. */
function treeOf(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    return entry.isDirectory() ? [path, ...treeOf(path)] : [path];
  });
}

function difference(before: readonly string[], after: readonly string[]): string[] {
  const [old, now] = [new Set(before), new Set(after)];
  return [...old.symmetricDifference(now)];
}

async function play(base: string, seed: number): Promise<string[]> {
  const random = randomOf(seed);
  const [outside, project] = [join(base, "outside"), join(base, "outside/project")];
  mkdirSync(join(outside, "home"), { recursive: true });
  const word = `SECRET${seed}x${crypto.randomUUID()}`;
  const secret = join(outside, "secret");
  writeFileSync(secret, `${word}\n`);
  await using stranger = await startLoopbackServer((response) => void response.writeHead(500).end());
  const target = { project, secret, mark: join(outside, "MARK"), url: stranger.url };
  const traps = makeHostileRepository(target, random);
  const preset = random.pick(PRESETS);
  const calls = CALLS.filter(() => random.chance(0.6)).map((call, index) => ({ ...call, id: `call_${index}` }));
  await using at = await chatPlace(callsTools(...calls), says("done"));
  const isChangeable = preset === "workspace";
  // `workspace` lets tools read outside, and commands change the repository.
  const kept = () =>
    treeOf(outside)
      .filter((path) => !isChangeable || !path.startsWith(project))
      .sort();
  const before = kept();
  const env = { ...at.place.env, HOME: join(outside, "home") };
  const faults: string[] = [];
  const flags = ["--permissions", preset, "--set", "permissions.maxDenials=0"];
  await using rpc = await startRpc([...CHAT, ...flags], { ...at.place, env, cwd: project });
  const timer = setTimeout(() => {
    faults.push("did not end");
    void rpc.kill("SIGKILL");
  }, DEADLINE_MS);
  try {
    await rpc.prompt("go");
    const code = await rpc.end();
    if (code !== 0) faults.push(`ended with ${code}`);
    const ends = rpc.frames.filter(({ type }) => type === "tool_execution_end").length;
    if (ends !== calls.length) faults.push(`${ends} results of ${calls.length} calls`);
  } catch (error) {
    faults.push(String(error));
  } finally {
    clearTimeout(timer);
  }
  const shown = JSON.stringify([rpc.frames, at.server.requests]);
  if (!isChangeable && shown.includes(word)) faults.push("showed the secret");
  const changes = difference(before, kept());
  if (changes.length > 0) faults.push(`made or removed ${changes.join(", ")}`);
  if (readFileSync(secret, "utf8") !== `${word}\n`) faults.push("changed the secret");
  if (stranger.requests.length > 0) faults.push("contacted a server");
  const titles = rpc.frames.flatMap(({ request, title }) => [request?.title, title]).filter(Boolean);
  if (titles.some((title) => /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(String(title))))
    faults.push("a title turns text");
  return faults.map((fault) => `seed ${seed} (${preset}; ${traps.join(", ")}): ${fault}`);
}

// Not in a directory for temporary files, which commands may write to.
const base = mkdtempSync(join(homedir(), ".pintle-soak-"));
const total = { repositories: 0, faults: 0 };
try {
  for (let seed = firstSeed; total.repositories < count; seed += 1) {
    const place = join(base, String(seed));
    const faults = await play(place, seed);
    rmSync(place, { recursive: true, force: true });
    total.repositories += 1;
    total.faults += faults.length;
    for (const fault of faults) console.log(fault);
    if (total.repositories % 25 === 0) console.log(`${total.repositories} repositories, ${total.faults} faults`);
  }
} finally {
  rmSync(base, { recursive: true, force: true });
}
console.log(`${total.repositories} repositories, ${total.faults} faults`);
process.exitCode = total.faults === 0 ? 0 : 1;
