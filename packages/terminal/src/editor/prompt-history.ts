import { appendFile, chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const MAX_ENTRIES = 500;
/** A paste of a megabyte is sent, not remembered. */
const MAX_CHARACTERS = 10_000;
/** The file is rewritten when it has grown to so many times what is kept. */
const MAX_GROWTH = 4;

/** What was sent before, in a file that only its owner can read: one JSON text per line. */
export class PromptHistory {
  readonly #directory: string;
  readonly #path: string;

  constructor(homeDirectory: string) {
    this.#directory = homeDirectory;
    this.#path = join(homeDirectory, "terminal-history.jsonl");
  }

  /** The oldest first. Lines that are none of ours are passed over. */
  async read(): Promise<string[]> {
    const text = await readFile(this.#path, "utf8").catch((error) => {
      if (error.code === "ENOENT") return "";
      throw error;
    });
    const lines = text.split("\n").filter((line) => line !== "");
    const entries = lines.flatMap(parsed).slice(-MAX_ENTRIES);
    if (lines.length > MAX_ENTRIES * MAX_GROWTH) await this.#rewrite(entries);
    return entries;
  }

  async add(text: string): Promise<void> {
    if (text.length > MAX_CHARACTERS) return;
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    await appendFile(this.#path, `${JSON.stringify(text)}\n`, { mode: 0o600 });
  }

  async #rewrite(entries: readonly string[]): Promise<void> {
    await writeFile(this.#path, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""), { mode: 0o600 });
    await chmod(this.#path, 0o600);
  }
}

function parsed(line: string): string[] {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "string" ? [value] : [];
  } catch {
    return []; // a line that was cut off
  }
}
