import { complain, printText } from "../cli/print.ts";
import { UsageError } from "../cli/usage-error.ts";
import { homeDirectory } from "../config/home-dir.ts";
import type { Environment } from "../config/keys/environment.ts";
import { Settings } from "../config/settings/settings.ts";
import { exportHtml } from "../export/export-html.ts";
import { findSessionFile } from "../export/export-source.ts";
import { createModelRegistry } from "../sdk/model-registry.ts";
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
