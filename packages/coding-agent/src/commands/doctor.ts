import { changeDirectory } from "../cli/change-directory.ts";
import { complain, printText } from "../cli/print.ts";
import { UsageError } from "../cli/usage-error.ts";
import { homeDirectory } from "../config/home-dir.ts";
import { sessionPlace } from "../config/session-directory.ts";
import { Settings } from "../config/settings/settings.ts";
import { type CheckedFinding, examine } from "../doctor/examine.ts";
import { createModelRegistry } from "../sdk/model-registry.ts";
import { ProjectTrust } from "../trust/project-trust.ts";
import { version } from "../version.ts";
import type { CallOf } from "./subcommand-flags.ts";

/** Runs `pintle doctor`, which reports the setup and its problems. Returns 1 if something is broken. */
export async function run({ flags, words, env, ending }: CallOf<"doctor">): Promise<number> {
  if (words.length > 0) throw new UsageError("pintle doctor takes no arguments");
  changeDirectory(flags.cwd);
  const cwd = process.cwd();
  const home = homeDirectory(env);
  const problems: string[] = [];
  const report = (problem: string) => void problems.push(problem);
  const settings = Settings.create(cwd, home, { report });
  const trust = await ProjectTrust.open(cwd, { home, settings, report });
  const { registry } = createModelRegistry(env, report, { home, offline: settings.get("models.offline") });
  const findings = await examine({
    cwd,
    home,
    env,
    settings,
    registry,
    trust,
    problems,
    version,
    ending,
    sessionDir: sessionPlace({ cwd, env, home, settings, sessionDir: flags["session-dir"] }).directory,
    isOffline: flags.offline ?? false,
  });
  // One file can cause several problems.
  const faults = new Set(findings.flatMap(({ status, text }) => (status === "broken" ? [text] : []))).size;
  await printText(
    flags.json ? `${JSON.stringify({ version, isBroken: faults > 0, findings }, null, 2)}\n` : toText(findings),
  );
  if (faults > 0 && !flags.json) complain(`${faults} ${faults === 1 ? "thing is" : "things are"} broken`);
  return faults > 0 ? 1 : 0;
}

const MARKS: Record<CheckedFinding["status"], string> = { ok: "  ok", info: "   -", warning: "   !", broken: "FAIL" };

function toText(findings: readonly CheckedFinding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const indent = " ".repeat(width + 8);
  return findings
    .map(({ check, status, text }, at) => {
      const name = findings[at - 1]?.check === check ? "" : check;
      return `${MARKS[status]}  ${name.padEnd(width)}  ${text.replaceAll("\n", `\n${indent}`)}\n`;
    })
    .join("");
}
