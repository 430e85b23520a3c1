import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { delay, SerialWork } from "@pintle/ai";
import type { WorkerCommand } from "../workers/worker-process.ts";

/** Time limit of an export; a long session takes a second or two. */
const LIMIT_MS = 60_000;

/** Exports stored sessions as pages, one at a time, each with its own engine. */
export class PageExport {
  readonly #engine: Pick<WorkerCommand, "command" | "env">;
  readonly #work = new SerialWork();

  constructor(engine: Pick<WorkerCommand, "command" | "env">) {
    this.#engine = engine;
  }

  /** Exports a session. Rejects if the engine cannot. */
  page(session: { sessionFile: string; cwd: string }): Promise<Uint8Array<ArrayBuffer>> {
    return this.#work.run(() => this.#make(session));
  }

  async #make({ sessionFile, cwd }: { sessionFile: string; cwd: string }): Promise<Uint8Array<ArrayBuffer>> {
    const directory = mkdtempSync(join(tmpdir(), "pintle-export-"));
    const output = join(directory, "page.html");
    try {
      const { command, env } = this.#engine;
      const child = Bun.spawn([...command, "--export", sessionFile, output], {
        cwd,
        env,
        stdin: "ignore",
        stdout: "ignore",
        stderr: "ignore",
      });
      const isOver = new AbortController();
      await Promise.race([child.exited, delay(LIMIT_MS, isOver.signal)]);
      isOver.abort();
      child.kill("SIGKILL"); // has no effect on a process that has ended
      return readFileSync(output);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  }
}
