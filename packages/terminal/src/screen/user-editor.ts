import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { App } from "../app.ts";

/**
 * Opens text in the user's own editor, in a file with this name, which is readable by its owner alone and is removed afterwards.
 * Returns undefined if there is no editor or it failed; the user has then been informed of the reason, and that the text is
 * unchanged.
 */
export async function editInProgram(
  app: App,
  { name, text, what }: { name: string; text: string; what: string },
): Promise<string | undefined> {
  const { env } = app.options;
  const program = env.VISUAL || env.EDITOR;
  if (!program) {
    app.say(`Set $VISUAL or $EDITOR to edit ${what} in an editor of your own.`, "warning");
    return undefined;
  }
  const directory = await mkdtemp(join(tmpdir(), "pintle-")); // mode 0700
  try {
    const path = join(directory, name);
    await writeFile(path, text, { mode: 0o600 });
    const code = await app.lend(() => runProgram(program, path));
    if (code === 0) return await readFile(path, "utf8");
    app.say(`${program} ended with code ${code}; ${what} is unchanged.`, "warning");
    return undefined;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Like in git, the variable is a command line: `code --wait`. */
function runProgram(program: string, path: string): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const child = spawn("/bin/sh", ["-c", `${program} "$1"`, "pintle", path], { stdio: "inherit" });
    child.once("error", reject);
    child.once("exit", (code) => resolve(code));
  });
}
