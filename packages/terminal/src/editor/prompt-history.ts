import { appendFile, chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const MAX_ENTRIES = 500;
/** Longer messages, such as large pastes, are not stored. */
const MAX_CHARACTERS = 10_000;
/** The file is rewritten when it has this many times the kept entries. */
const MAX_GROWTH = 4;

/** Stores sent messages in a file that only its owner can read, one JSON string per line. */
export class PromptHistory {
  readonly #directory: string;
  readonly #path: string;

  constructor(homeDirectory: string) {
    this.#directory = homeDirectory;
    this.#path = join(homeDirectory, "terminal-history.jsonl");
  }

  /** Returns the entries, the oldest first. Skips lines that are not entries. */
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
    return []; // the line is incomplete
  }
}
