import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/** `less` shows colours with -R; these options apply unless the user has chosen others. */
const LESS_OPTIONS = "-R";

/**
 * Shows lines in `$PAGER` or `less` until the user leaves it. Rejects if there is no such program. The file that it reads is
 * readable by its owner alone and is removed afterwards.
 */
export async function showInPager(lines: readonly string[], env: Environment): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "pintle-")); // mode 0700
  try {
    const path = join(directory, "text");
    await writeFile(path, `${lines.join("\n").replaceAll(ERASE_LINE, "")}\n`, { mode: 0o600 });
    await run(env.PAGER || "less", path, env);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Fills a row with its background on the screen. Pagers show it as text. */
const ERASE_LINE = "\u001b[K";
const NOT_FOUND = 127;

/** Like in git, the variable is a command line: `less -S`. */
function run(pager: string, path: string, env: Environment): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn("/bin/sh", ["-c", `${pager} "$1"`, "pintle", path], {
      env: { LESS: LESS_OPTIONS, ...env },
      stdio: "inherit",
    });
    child.once("error", reject);
    child.once("exit", (code) =>
      code === NOT_FOUND
        ? reject(new Error(`There is no pager ${pager}: set $PAGER to a program that shows text.`))
        : resolve(),
    );
  });
}
