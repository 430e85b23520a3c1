import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchPath } from "../../../../../test/support/scratch-directory.mjs";
import { readCommand, type StaticCommand } from "../../../src/permissions/command/read-command.ts";
import { randomOf } from "../fuzz/random.ts";
import { commandText, RECORDED } from "./command-texts.ts";

export interface ComparisonReport {
  texts: number;
  /** Commands that were parsed and therefore run. */
  understood: number;
  /** Programs that a shell started with the words that were parsed. */
  calls: number;
  faults: string[];
}

interface ReadText {
  text: string;
  reading: StaticCommand;
}

interface Fault {
  /** The index of the command in its list. */
  at: number;
  message: string;
}

/** What a shell did with a command: the programs it started, unordered, and its exit code. */
interface Outcome {
  calls: string[][];
  status: string;
}

/**
 * Compares the parsed form of generated commands with what bash and dash do: the words that they pass to programs for the
 * original command, and for the script printed from the parsed form. Many commands share one shell, each in a subshell.
 */
export class ShellComparison {
  readonly #root = scratchPath();
  readonly #cwd = join(this.#root, "cwd");
  readonly #home = process.env.HOME ?? "";

  constructor() {
    mkdirSync(this.#cwd);
    for (const name of ["a", "b", "x-file", "x", "-o"]) {
      writeFileSync(join(this.#cwd, name), "");
      chmodSync(join(this.#cwd, name), 0o666);
    }
    // Commands can write existing files but create none, which would change what patterns expand to for the next
    // command.
    chmodSync(this.#cwd, 0o555);
    chmodSync(this.#root, 0o777);
  }

  [Symbol.dispose](): void {
    chmodSync(this.#cwd, 0o755);
    rmSync(this.#root, { recursive: true, force: true });
  }

  run(seed: number, count: number): ComparisonReport {
    const random = randomOf(seed);
    const texts = Array.from({ length: count }, () => commandText(random));
    const cases = texts.flatMap((text) => {
      const reading = readCommand(text);
      return reading ? [{ text, reading }] : [];
    });
    const report: ComparisonReport = { texts: count, understood: cases.length, calls: 0, faults: [] };
    for (let at = 0; at < cases.length; at += PER_SHELL) {
      const { calls, faults } = this.compareReadings(cases.slice(at, at + PER_SHELL));
      report.calls += calls;
      report.faults.push(...faults);
    }
    return report;
  }

  /**
   * Programs of a pipeline record at the same time, so a difference counts only if it remains when the command runs
   * alone.
   */
  compareReadings(cases: readonly ReadText[]): ComparisonReport {
    const report = this.#compare(cases);
    const stays = ({ at }: Fault) => this.#compare(cases.slice(at, at + 1)).faults.map(({ message }) => message);
    return { ...report, texts: cases.length, understood: cases.length, faults: report.faults.flatMap(stays) };
  }

  #compare(cases: readonly ReadText[]): { calls: number; faults: Fault[] } {
    const both = cases.flatMap(({ text, reading }) => [text, reading.script]);
    const [inBash, inDash] = [this.#outcomes("bash", both), this.#outcomes("dash", both)];
    const report: { calls: number; faults: Fault[] } = { calls: 0, faults: [] };
    for (const [index, { text, reading }] of cases.entries()) {
      const [bash, bashPrinted] = inBash.slice(index * 2, index * 2 + 2);
      const [dash, dashPrinted] = inDash.slice(index * 2, index * 2 + 2);
      if (!bash || !bashPrinted || !dash || !dashPrinted) throw new Error(`no outcome of ${JSON.stringify(text)}`);
      report.calls += bash.calls.length;
      const fault =
        differs("bash, original and printed", bash, bashPrinted) ??
        (isForBashOnly(text) ? undefined : differs("dash, original and printed", dash, dashPrinted)) ??
        differs("bash and dash, printed", onlyRecorded(bashPrinted), onlyRecorded(dashPrinted)) ??
        unread(reading, [...bashPrinted.calls, ...dashPrinted.calls]);
      const printed = `${JSON.stringify(text)} printed as ${JSON.stringify(reading.script)}`;
      if (fault) report.faults.push({ at: index, message: `${printed}: ${fault}` });
    }
    return report;
  }

  #outcomes(shell: "bash" | "dash", texts: readonly string[]): Outcome[] {
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const outcomes = this.#run(shell, texts, texts.length <= 2 || attempt > 0);
      if (outcomes) return outcomes;
    }
    throw new Error(`${shell} left records that cannot be read`);
  }

  /** Without isolation, a command can end or change the shell of the others; records are then missing. */
  #run(shell: "bash" | "dash", texts: readonly string[], isIsolated: boolean): Outcome[] | undefined {
    const record = join(this.#root, `record-${shell}`);
    const script = join(this.#root, `script-${shell}`);
    writeFileSync(record, "");
    chmodSync(record, 0o666);
    writeFileSync(script, PREAMBLE[shell] + texts.map((text, index) => runText(text, index, isIsolated)).join(""));
    const env = { PATH: join(this.#root, "empty"), HOME: this.#home, RECORD: record, LC_ALL: "C.UTF-8" };
    const stdio = { stdin: "ignore", stdout: "pipe", stderr: "ignore" } as const;
    // Read to its end, because background processes hold it open.
    Bun.spawnSync([...WITHOUT_RIGHTS, `/bin/${shell}`, script], { cwd: this.#cwd, env, ...stdio, timeout: 300_000 });
    const outcomes = outcomesOf(readFileSync(record, "utf8").split("\0").slice(0, -1), texts.length);
    return outcomes?.every(({ status }) => status !== "none") ? outcomes : undefined;
  }
}

/** root may create files in a read-only directory. */
const WITHOUT_RIGHTS =
  process.getuid?.() === 0 ? ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"] : [];

/** `two` fails, so that both sides of && and || run. One write per call: the programs of a pipeline write at the same time. */
const RECORDERS = RECORDED.map(
  (name) =>
    `${name}() { printf '%s\\0' "$N" "$#" ${name} "$@" >>"$RECORD"; ${name === "two" ? "return 1" : "return 0"}; }\n`,
).join("");

const PREAMBLE = {
  // bash passes every name that it cannot find to this function.
  bash: `exec 8>&1\n${RECORDERS}command_not_found_handle() { n=$1; shift; printf '%s\\0' "$N" "$#" "$n" "$@" >>"$RECORD"; return 127; }\n`,
  dash: `exec 8>&1\n${RECORDERS}`,
};

/** Commands per shell process. */
const PER_SHELL = 250;

function runText(text: string, index: number, isIsolated: boolean): string {
  const quoted = `'${text.replaceAll("'", "'\\''")}'`;
  // `command` keeps sh alive when it cannot parse the command.
  const run = isIsolated ? '(eval " $T"; s=$?; wait; exit $s)' : '{ command eval " $T"; }';
  return (
    `N=${index}; T=${quoted}; ${run} </dev/null >/dev/null 2>&1; s=$?; wait; ` +
    `printf '%s\\0' "$N" S "$s" >>"$RECORD"\n`
  );
}

/** Returns undefined if two processes wrote into each other's record. */
function outcomesOf(fields: readonly string[], count: number): Outcome[] | undefined {
  const outcomes = Array.from({ length: count }, (): Outcome => ({ calls: [], status: "none" }));
  for (let at = 0; at < fields.length; ) {
    const outcome = outcomes[Number(fields[at])];
    const length = fields[at + 1];
    if (!outcome || !/^(?:\d+|S)$/.test(length ?? "")) return undefined;
    if (length === "S") {
      outcome.status = fields[at + 2] ?? "";
      at += 3;
    } else {
      outcome.calls.push(fields.slice(at + 2, at + 3 + Number(length)));
      at += 3 + Number(length);
    }
  }
  return outcomes;
}

/** sh interprets these characters differently. */
const isForBashOnly = (text: string): boolean => /\|&|&>/.test(text);

const onlyRecorded = ({ calls, status }: Outcome): Outcome => ({
  calls: calls.filter(([name]) => RECORDED.includes(name ?? "")),
  status: status === "0" ? "0" : "failed", // shells use different exit codes for failures
});

function differs(what: string, left: Outcome, right: Outcome): string | undefined {
  const [first, second] = [left, right].map(({ calls, status }) => JSON.stringify([calls.map(String).sort(), status]));
  return first === second ? undefined : `${what}: ${first} and ${second}`;
}

function unread({ programs }: StaticCommand, calls: readonly string[][]): string | undefined {
  const other = calls.find(
    (call) => !programs.some(({ argv, hasPattern }) => (hasPattern ? isExpanded(argv, call) : isSame(argv, call))),
  );
  return other && `started ${JSON.stringify(other)}, which was not read`;
}

const isSame = (argv: readonly string[], call: readonly string[]): boolean =>
  JSON.stringify(argv) === JSON.stringify(call);

/** What a pattern expands to depends on the files, but it never becomes the program or an option. */
function isExpanded(argv: readonly string[], call: readonly string[]): boolean {
  const options = (words: readonly string[]) => words.filter((word) => word.startsWith("-")).join(" ");
  return argv[0] === call[0] && options(argv) === options(call);
}
