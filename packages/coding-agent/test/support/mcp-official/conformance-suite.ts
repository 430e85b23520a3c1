import { fileURLToPath } from "node:url";
import { cleanEnvironment, runProgram } from "../program.ts";
import { official } from "./installed.ts";

export type Suite = "0.1" | "0.2";

export interface SuiteRun {
  suite: Suite;
  scenario: string;
  version: string;
}

const HOST = fileURLToPath(import.meta.resolve("./conformance-host.ts"));
/** For one scenario, on a busy machine. */
const SCENARIO_MS = 45_000;

/** Every scenario for clients, at each version of the protocol that it is for. */
export async function listRuns(suite: Suite): Promise<SuiteRun[]> {
  const { output } = await runSuite(suite, ["list", "--client"]);
  return [...output.matchAll(/^ {2}- (\S+) \[(.+)\]$/gm)].flatMap(([, scenario = "", versions = ""]) =>
    versions.split(/,\s*/).map((version) => ({ suite, scenario, version })),
  );
}

export async function conform({ suite, scenario, version }: SuiteRun): Promise<{ isPassed: boolean; output: string }> {
  const command = [
    "--command",
    `${process.execPath} ${HOST}`,
    "--scenario",
    scenario,
    "--timeout",
    String(SCENARIO_MS),
  ];
  // "draft" and "extension" are no versions.
  const dated = /^\d/.test(version) ? ["--spec-version", version] : [];
  const { code, output } = await runSuite(suite, ["client", ...command, ...dated]);
  return { isPassed: code === 0 && output.includes("OVERALL: PASSED"), output };
}

async function runSuite(suite: Suite, args: readonly string[]): Promise<{ code: number; output: string }> {
  const command = [process.execPath, official(`conformance-${suite}/dist/index.js`)];
  const env = cleanEnvironment(process.env.HOME ?? "/");
  const { code, stdout, stderr } = await runProgram(args, { cwd: process.cwd(), env, command });
  return { code, output: `${stdout}\n${stderr}` };
}
