import { mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Files that belong to a session without being part of it: whole outputs of commands. */
export class Artifacts {
  readonly #sessionFile: () => string | undefined;
  #count = 0;
  #scratch: Promise<string> | undefined;

  constructor(sessionFile: () => string | undefined) {
    this.#sessionFile = sessionFile;
  }

  /** A new name beside the session file, or in a private temporary directory for sessions in memory. */
  async newPath(tool: string): Promise<string> {
    this.#count += 1;
    return join(await this.#directory(), `${this.#count}.${tool}.log`);
  }

  async #directory(): Promise<string> {
    const file = this.#sessionFile();
    if (file === undefined) {
      this.#scratch ??= mkdtemp(join(tmpdir(), "pintle-")); // made with mode 0700
      return this.#scratch;
    }
    const directory = file.replace(/\.jsonl$/, "");
    await mkdir(directory, { recursive: true, mode: 0o700 });
    return directory;
  }
}
