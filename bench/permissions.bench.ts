// Measures what the authorizer costs a tool call: the announcement with its message and the decision before it runs, under
// preset `workspace`, without rules and with 200 host rules. Baselines of the same run: resolving the file's real path,
// which every tool that opens a file needs, and the call as JSON. The first command is measured separately, because it
// loads the shell grammar.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PermitCall } from "@pintle/agent";
import type { PermissionRule } from "@pintle/wire";
import { Settings } from "../packages/coding-agent/src/config/settings/settings.ts";
import { ApprovedPaths } from "../packages/coding-agent/src/permissions/approved-paths.ts";
import { ApprovedScripts } from "../packages/coding-agent/src/permissions/approved-scripts.ts";
import { PermissionAuthorizer } from "../packages/coding-agent/src/permissions/authorizer.ts";
import { judgeCall } from "../packages/coding-agent/src/session/permissions/judge.ts";
import { PolicyState } from "../packages/coding-agent/src/session/permissions/policy-state.ts";
import { canonicalPath } from "../packages/foundation/src/files/canonical-path.ts";
import { median, printTable } from "./support/table.ts";

const ROUNDS = 40;
const CALLS = 50;
const GOAL_MS = 0.1;

const project = realpathSync(mkdtempSync(join(tmpdir(), "pintle-bench-")));
mkdirSync(join(project, "src/parts"), { recursive: true });
const file = join(project, "src/parts/a.ts");
writeFileSync(file, "export const a = 1;\n");

const call = (name: string, args: Record<string, unknown>): PermitCall => ({
  id: "call_1",
  // The authorizer knows a tool by its name.
  tool: { name } as PermitCall["tool"],
  args,
});

const PIPELINE = [
  "cd src && find . -name '*.ts' -not -path './node_modules/*' | sort | head -n 200 | xargs grep -n 'export const'",
  "git log --oneline -n 20 -- src | cut -d ' ' -f 2- | sort | uniq -c | sort -rn | head -n 5",
  "(npm run build && npm test -- --reporter dot) 2>&1 | tee build.log | grep -v warning | tail -n 40",
].join("; ");

const CASES: Readonly<Record<string, PermitCall>> = {
  read: call("read", { path: "src/parts/a.ts" }),
  edit: call("edit", { path: "src/parts/a.ts", edits: [{ oldText: "a = 1", newText: "a = 2" }] }),
  "a simple command": call("bash", { command: "npm test" }),
  "a line of 16 programs": call("bash", { command: PIPELINE }),
};

/** The rules of a cautious host, none of which matches these calls: the longest path to a decision. */
const RULES = Array.from({ length: 200 }, (_, index): PermissionRule => {
  const kinds: PermissionRule[] = [
    { effect: "allow", command: `make target-${index} *` },
    { effect: "deny", command: `curl-${index} *` },
    { effect: "allow", kind: "write", path: `packages/p${index}/**/*.md` },
    { effect: "deny", path: `secrets/${index}/**` },
  ];
  return kinds[index % kinds.length] as PermissionRule;
});

function authorizerWith(rules: readonly PermissionRule[]): PermissionAuthorizer {
  const state = new PolicyState({ settings: Settings.inMemory(), cwd: () => project, home: join(project, ".pintle") });
  state.mode = "workspace";
  state.setHostRules(rules);
  return new PermissionAuthorizer({
    policy: () => state.policy(),
    judge: (asked) =>
      judgeCall(asked, {
        cwd: () => project,
        isInside: state.policy().isInside,
        containsKeys: state.policy().containsKeys,
        originOf: () => "builtin",
        isAnswered: () => true,
        isSandboxed: () => true,
        hasSandbox: () => true,
        readsCommands: () => state.readsCommands,
        shellPath: () => undefined,
        isHostUri: () => false,
        previewedPaths: () => undefined,
      }),
    // With rules that deny programs, a line with `xargs` becomes a question; answering it costs nothing here.
    approver: () => async () => ({ decision: "allow_once", by: "host" }),
    onResolved: () => {},
    addRules: async () => {},
    maxDenials: () => 0,
    approved: new ApprovedPaths(),
    scripts: new ApprovedScripts(),
    preview: async () => undefined,
  });
}

const { signal } = new AbortController();

let count = 0;

/** Each command is different, because the last parsed one is cached. */
function another({ args, ...rest }: PermitCall): PermitCall {
  count += 1;
  return typeof args.command === "string"
    ? { ...rest, args: { ...args, command: `${args.command} ${count}` } }
    : { ...rest, args };
}

async function pass(authorizer: PermissionAuthorizer, like: PermitCall): Promise<void> {
  const asked = another(like);
  authorizer.announce([asked], signal);
  const denial = await authorizer.permit(asked, signal);
  if (denial) throw new Error(denial.text);
}

async function timed(work: () => unknown): Promise<number> {
  const startedAt = performance.now();
  for (let index = 0; index < CALLS; index += 1) await work();
  return (performance.now() - startedAt) / CALLS;
}

const authorizers = { "0 rules": authorizerWith([]), "200 rules": authorizerWith(RULES) };

const firstAt = performance.now();
await pass(authorizers["0 rules"], call("bash", { command: "npm test" }));
const firstMs = performance.now() - firstAt;

const work: Record<string, () => unknown> = {
  "real path": () => canonicalPath(file),
};
for (const [name, asked] of Object.entries(CASES)) {
  work[`JSON ${name}`] = () => JSON.stringify(asked.args);
  for (const [rules, authorizer] of Object.entries(authorizers))
    work[`${name}, ${rules}`] = () => pass(authorizer, asked);
}
const times = Object.fromEntries(Object.keys(work).map((name) => [name, [] as number[]]));
for (let round = 0; round < ROUNDS; round += 1) {
  for (const [name, run] of Object.entries(work)) times[name]?.push(await timed(run));
}
rmSync(project, { recursive: true, force: true });

// The fastest tenth: on a busy machine the others measure the scheduler.
const quick = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 10)] ?? Number.NaN;
const ms = (name: string) => quick(times[name] ?? []);
console.log(`the first command, which loads the grammar: ${firstMs.toFixed(1)} ms`);
console.log(`the real path of one file: ${(ms("real path") * 1000).toFixed(1)} µs`);
printTable([
  [
    "the authorizer, per call",
    "quick µs",
    `of ${GOAL_MS} ms`,
    "ratio to a real path",
    "ratio to its JSON",
    "median µs",
  ],
  ...Object.keys(CASES).flatMap((name) =>
    Object.keys(authorizers).map((rules) => {
      const own = ms(`${name}, ${rules}`);
      const ratios = [own / GOAL_MS, own / ms("real path"), own / ms(`JSON ${name}`)].map((ratio) => ratio.toFixed(2));
      return [
        `${name}, ${rules}`,
        (own * 1000).toFixed(0),
        ...ratios,
        (median(times[`${name}, ${rules}`] ?? []) * 1000).toFixed(0),
      ];
    }),
  ),
]);
