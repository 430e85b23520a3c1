import { fileURLToPath } from "node:url";
import { cleanEnvironment } from "../program.ts";
import { readLines } from "../scenarios/lines.ts";
import { official } from "./installed.ts";

export type Suite = "0.1" | "0.2";

export interface SuiteRun {
  suite: Suite;
  scenario: string;
  version: string;
}

interface Ended {
  code: number;
  output: string;
}

const HOST = fileURLToPath(import.meta.resolve("./conformance-host.ts"));
const PROCESS = fileURLToPath(import.meta.resolve("./suite-process.ts"));
/** Time limit for one scenario on a busy machine. */
const SCENARIO_MS = 45_000;

/** A process that runs scenarios one after another. */
export class SuiteProcess implements AsyncDisposable {
  readonly #child = Bun.spawn([process.execPath, PROCESS], {
    env: cleanEnvironment(process.env.HOME ?? "/"),
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  readonly #answers = readLines(this.#child.stdout);
  #last: Promise<unknown> = Promise.resolve();

  /** Returns every scenario for clients, at each version of the protocol that it is for. */
  async list(suite: Suite): Promise<SuiteRun[]> {
    const { output } = await this.#run(suite, ["list", "--client"]);
    return [...output.matchAll(/^ {2}- (\S+) \[(.+)\]$/gm)].flatMap(([, scenario = "", versions = ""]) =>
      versions.split(/,\s*/).map((version) => ({ suite, scenario, version })),
    );
  }

  async conform({ suite, scenario, version }: SuiteRun): Promise<{ isPassed: boolean; output: string }> {
    const command = [
      "--command",
      `${process.execPath} ${HOST}`,
      "--scenario",
      scenario,
      "--timeout",
      String(SCENARIO_MS),
    ];
    // "draft" and "extension" are not versions.
    const dated = /^\d/.test(version) ? ["--spec-version", version] : [];
    const { code, output } = await this.#run(suite, ["client", ...command, ...dated]);
    return { isPassed: code === 0 && output.includes("OVERALL: PASSED"), output };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#child.exited;
  }

  #run(suite: Suite, args: readonly string[]): Promise<Ended> {
    const run = this.#last.then(() => this.#ask(suite, args));
    this.#last = run.catch(() => {});
    return run;
  }

  async #ask(suite: Suite, args: readonly string[]): Promise<Ended> {
    this.#child.stdin.write(`${JSON.stringify({ script: official(`conformance-${suite}/dist/index.js`), args })}\n`);
    this.#child.stdin.flush();
    const { value, done } = await this.#answers.next();
    if (done) throw new Error(`the suite's process ended with ${await this.#child.exited}`);
    return JSON.parse(value);
  }
}
