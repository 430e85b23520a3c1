#!/usr/bin/env node
import { existsSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { CHECKS } from "./checks/all-checks.ts";
import { FEATURES } from "./profile.ts";
import { loadProfile, PROFILE_NAMES } from "./profiles.ts";
import { countOf, jsonOf, textOf } from "./report.ts";
import { runChecks, startsAtAll } from "./run-checks.ts";

const HELP = `pintle-conformance [options] -- COMMAND…

Checks an agent of this wire family against the contract. COMMAND starts it; the arguments for RPC mode and the model are added.

  --profile NAME|FILE   how it is started and which optional parts it has: ${PROFILE_NAMES.join(", ")}, or a .json file
                        ({"base": "pi", "args": […], "features": […]}); default pintle
  --only TEXT           checks with that in their name; may be repeated
  --report FILE         also as JSON
  --jobs N              at once (2)
  --timeout MS          how long anything is waited for (10000)
  --list                the checks and their rules
  --features            the optional parts a profile may declare

Exit code: 0 all kept, 1 a rule was broken, 2 called wrongly.
`;

const OPTIONS = {
  profile: { type: "string", default: "pintle" },
  only: { type: "string", multiple: true },
  report: { type: "string" },
  jobs: { type: "string", default: "2" },
  timeout: { type: "string", default: "10000" },
  list: { type: "boolean", default: false },
  features: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
  const { only = [] } = values;
  const command = positionals.map(fromHere);
  const checks = CHECKS.filter(({ name }) => only.length === 0 || only.some((text) => name.includes(text)));
  if (values.help) return print(HELP);
  if (values.list) return print(checks.map(({ name, rule }) => `${name}: ${rule}\n`).join(""));
  if (values.features)
    return print(
      Object.entries(FEATURES)
        .map(([name, text]) => `${name}: ${text}\n`)
        .join(""),
    );
  const [jobs, patienceMs] = [Number(values.jobs), Number(values.timeout)];
  if (!(jobs >= 1) || !(patienceMs >= 1)) throw new Error("--jobs and --timeout must be positive numbers");
  if (command.length === 0) throw new Error("COMMAND is missing: pintle-conformance -- COMMAND…");
  if (checks.length === 0) throw new Error(`no check is named like ${only.join(", ")}`);
  const profile = loadProfile(values.profile);
  await startsAtAll({ command, profile, patienceMs });
  const onReport = (report: Parameters<typeof textOf>[0]) => void print(`${textOf(report)}\n`);
  const reports = await runChecks(checks, { command, profile, patienceMs }, { jobs, onReport });
  if (values.report !== undefined) writeFileSync(values.report, jsonOf(reports, { command, profile: profile.name }));
  const { passed, failed, skipped } = countOf(reports);
  print(`${passed} passed, ${failed} failed, ${skipped} not declared\n`);
  return failed > 0 ? 1 : 0;
}

/** The agent starts in another directory, so relative paths must be resolved here. */
const fromHere = (word: string) => (word.includes("/") && existsSync(word) ? resolve(word) : word);

function print(text: string): 0 {
  process.stdout.write(text);
  return 0;
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error) => {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 2;
  },
);
