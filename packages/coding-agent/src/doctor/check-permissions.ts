import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LazyProcessRunner, type Strength } from "@pintle/exec";
import { probeStrength, usualBubblewrap } from "@pintle/exec/sandbox";
import { visiblePath } from "@pintle/foundation";
import { childRules } from "../config/child-rules.ts";
import { broken, type Check, type Finding, info, ok, type Surroundings, warning } from "./finding.ts";

/** Reports the preset of new sessions, and how far the sandbox can confine commands on this machine. */
export const checkPermissions: Check = async (surroundings) => [
  preset(surroundings),
  sandboxMode(surroundings),
  ...strengthFindings(await measure(surroundings), surroundings),
];

function strengthFindings(strength: Strength, surroundings: Surroundings): Finding[] {
  return [strengthFinding(strength, surroundings), networkFinding(strength, surroundings)];
}

function preset({ settings }: Surroundings): Finding {
  const { layer, file } = settings.origin("permissions.mode");
  const mode = settings.get("permissions.mode");
  if (layer === "default") {
    return info(
      "preset: workspace in the terminal, editors, the page and servers; full for -p and --mode rpc (permissions.mode is not set)",
    );
  }
  const text = `preset: ${mode} (${file === undefined ? layer : visiblePath(file)})`;
  return mode === "full" ? warning(`${text}: tools act without asking, commands run outside the sandbox`) : ok(text);
}

function sandboxMode({ settings }: Surroundings): Finding {
  const mode = settings.get("sandbox.mode");
  return info(mode === "auto" ? "sandbox: follows the preset (sandbox.mode is auto)" : `sandbox: ${mode}`);
}

function strengthFinding({ level, missing }: Strength, { settings }: Surroundings): Finding {
  const required = settings.get("sandbox.require");
  const elsewhere = process.platform === "linux" ? [] : ["pintle confines commands only on Linux"];
  const reasons = [...elsewhere, ...missing];
  const lacks = reasons.length > 0 ? `: ${reasons.join("; ")}` : "";
  const text = `sandbox strength on this machine: ${level}${lacks}`;
  const isEnough = required === undefined || level === "full" || level === required;
  if (!isEnough) return broken(`${text}; sandbox.require is ${required}, so commands are refused`);
  return level === "full" ? ok(text) : warning(text);
}

function networkFinding({ means }: Strength, { settings }: Surroundings): Finding {
  const network = settings.get("sandbox.network");
  if (typeof network === "string") return info(`network of commands in the sandbox: ${network}`);
  const text = `network of commands in the sandbox: ${network.length > 0 ? `only ${network.join(", ")}` : "nothing (the list is empty)"}`;
  if (settings.get("sandbox.mode") === "off") return warning(`${text}; without effect, because the sandbox is off`);
  if (means.bubblewrap !== undefined) return ok(text);
  return broken(`${text}; this machine cannot limit commands to hosts, so commands are refused`);
}

/** Starts a real sandbox in a temporary directory and leaves nothing behind. */
async function measure({ settings, registry }: Surroundings): Promise<Strength> {
  const processRunner = new LazyProcessRunner(childRules(settings, registry));
  const directory = mkdtempSync(join(tmpdir(), "pintle-doctor-"));
  try {
    const parts = { processRunner: await processRunner.open(), directory, bubblewrap: usualBubblewrap() };
    return (await probeStrength(parts)).strength;
  } finally {
    await processRunner.killAll("shutdown");
    rmSync(directory, { recursive: true, force: true });
  }
}
