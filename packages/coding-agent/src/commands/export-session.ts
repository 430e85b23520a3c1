import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { complain, printText } from "../cli/print.ts";
import { UsageError } from "../cli/usage-error.ts";
import { homeDirectory } from "../config/home-dir.ts";
import type { Environment } from "../config/keys/environment.ts";
import { Settings } from "../config/settings/settings.ts";
import { exportHtml } from "../export/export-html.ts";
import { createModelRegistry } from "../sdk/model-registry.ts";
import { openStoredSessions, type StorePlace } from "../session/opening/open-stored.ts";
import { resolveSessionPath } from "../session/opening/session-choice.ts";
import { version } from "../version.ts";
import { type ProgramArguments, plainWords } from "./program-arguments.ts";

/** Runs `--export <session> [file]`. */
export async function exportSession(name: string, args: ProgramArguments, env: Environment): Promise<number> {
  const { flags } = args;
  const words = plainWords(args);
  if (words.length > 1) throw new UsageError("--export takes one session and at most one file to write");
  const cwd = process.cwd();
  const sessionDir = flags["session-dir"];
  const [outputPath] = words;
  const path = await findSessionFile(name, {
    cwd,
    env,
    ...(sessionDir !== undefined && { sessionDir }),
    report: complain,
  });
  const redact = flags.redact || !flags["no-redact"];
  const written = await exportHtml({
    source: { path },
    cwd,
    ...(outputPath !== undefined && { outputPath }),
    redact,
    secrets: redact ? secretsOf(cwd, env) : [],
    version,
    report: complain,
  });
  await printText(`${written.path}\n`);
  return 0;
}

function secretsOf(cwd: string, env: Environment): string[] {
  const { registry } = createModelRegistry(env, complain);
  // If settings cannot be read, only the built-in names of secrets apply.
  const settings = Settings.create(cwd, homeDirectory(env), { report: () => {} });
  return registry.knownSecrets(settings.get("env.withhold"));
}

/** Returns the file of a session, given its path, id prefix or name. */
async function findSessionFile(name: string, place: StorePlace): Promise<string> {
  const path = resolve(place.cwd, name);
  if (existsSync(path)) return path;
  return resolve(place.cwd, await resolveSessionPath(openStoredSessions(place), name, place.cwd));
}
