import { spawn } from "node:child_process";
import { appendFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/** `less` shows colors with -R; these options apply unless the user has chosen others. */
const LESS_OPTIONS = "-R";

/** Text that still grows while the pager shows it. */
export interface GrowingText {
  /** Resolves with the text added since the last call, or with undefined once the text is complete. */
  next(): Promise<string | undefined>;
}

const READ_INTERVAL_MS = 500;

/**
 * Shows lines in `$PAGER` or `less` until the user leaves it. Rejects if there is no such program. The file that it reads is
 * readable by its owner alone and is removed afterwards. `less` follows text that grows.
 */
export async function showInPager(lines: readonly string[], env: Environment, growing?: GrowingText): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "pintle-")); // mode 0700
  const closed = new AbortController();
  try {
    const path = join(directory, "text");
    await writeFile(path, `${lines.join("\n").replaceAll(ERASE_LINE, "")}\n`, { mode: 0o600 });
    const pager = env.PAGER || "less";
    const added = growing && append(path, growing, closed.signal);
    await run(growing && IS_LESS.test(pager) ? `${pager} +F` : pager, path, env);
    closed.abort();
    await added;
  } finally {
    closed.abort();
    await rm(directory, { recursive: true, force: true });
  }
}

/** Fills a row with its background on the screen. Pagers show it as text. */
const ERASE_LINE = "\u001b[K";
const NOT_FOUND = 127;
const IS_LESS = /^(?:\S*\/)?less(?:\s|$)/;

async function append(path: string, growing: GrowingText, closed: AbortSignal): Promise<void> {
  for (let text = await growing.next(); text !== undefined && !closed.aborted; text = await growing.next()) {
    if (text !== "") await appendFile(path, text);
    else await new Promise((resolve) => setTimeout(resolve, READ_INTERVAL_MS));
  }
}

/**
 * Like in git, the variable is a command line: `less -S`. With job control, the shell gives the pager a process group of its
 * own: ctrl+c, which interrupts `less` while it follows text, reaches neither this program nor the engine.
 */
function run(pager: string, path: string, env: Environment): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn("/bin/sh", ["-c", `set -m 2>/dev/null; ${pager} "$1"`, "pintle", path], {
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
