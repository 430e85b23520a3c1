import type { Given } from "../cli/flags.ts";
import { complain, printText } from "../cli/print.ts";
import { UsageError } from "../cli/usage-error.ts";
import type { Environment } from "../config/environment.ts";
import { exportHtml } from "../export/export-html.ts";
import { findSessionFile } from "../export/export-source.ts";
import { version } from "../version.ts";

/** `--export <session> [file]`. */
export async function exportSession(
  name: string,
  words: readonly string[],
  flags: Given,
  env: Environment,
): Promise<number> {
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
  const written = await exportHtml({
    source: { path },
    cwd,
    ...(outputPath !== undefined && { outputPath }),
    redact: flags.redact ?? false,
    version,
    report: complain,
  });
  await printText(`${written.path}\n`);
  return 0;
}
