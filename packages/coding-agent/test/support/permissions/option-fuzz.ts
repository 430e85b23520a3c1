import { createHash } from "node:crypto";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { scratchPath } from "../../../../../test/support/scratch-directory.mjs";
import { commandFacts } from "../../../src/permissions/command/command-facts.ts";
import { READ_ONLY_PROGRAMS } from "../../../src/permissions/command/read-only-programs.ts";
import { type Random, randomOf } from "../fuzz/random.ts";

/** Options that write, start programs, follow links, or read the files that a list names. */
const HARMFUL: Readonly<Record<string, readonly string[]>> = {
  cksum: ["-c", "--check"],
  du: ["-L", "-D", "-H", "--files0-from=list0", "--dereference", "-X", "--exclude-from=link"],
  file: [
    "-C",
    "-m",
    "magicf",
    "-mmagicf",
    "--compile",
    "-f",
    "list",
    "-flist",
    "--files-from=list",
    "-z",
    "-Z",
    "-p",
    "-L",
    "-s",
  ],
  find: [
    "-exec",
    "-execdir",
    "-ok",
    "-delete",
    "-fprint",
    "-fls",
    "-fprintf",
    "-fprint0",
    "-L",
    "-H",
    "-follow",
    "-files0-from",
    ";",
    "+",
  ],
  grep: ["-f", "-flink", "--file=link", "-R", "--dereference-recursive", "--exclude-from=link", "-d", "recurse"],
  head: ["--version"],
  ls: ["-L", "-H", "--dereference", "--dereference-command-line"],
  md5sum: ["-c", "--check", "list"],
  rg: [
    "--pre=./evil.sh",
    "--pre",
    "-f",
    "link",
    "--file=link",
    "-L",
    "--follow",
    "-z",
    "--search-zip",
    "--hostname-bin=./evil.sh",
    "--ignore-file=link",
    "--hyperlink-format=default",
  ],
  sort: [
    "-o",
    "-oOUT",
    "--output=OUT",
    "-T",
    "-T.",
    "--compress-program=./evil.sh",
    "-S1",
    "--files0-from=list0",
    "--random-source=link",
  ],
  tail: ["-f", "-F", "--follow", "--retry", "--pid=1", "+1f", "+cf"],
  tree: [
    "-o",
    "-oOUT",
    "-R",
    "-H",
    "-l",
    "--fromfile",
    "--fromtabfile",
    "--infofile=link",
    "-T",
    "--hintro=link",
    "--gitfile=link",
  ],
  uniq: ["OUT", "--output=OUT"],
  wc: ["--files0-from=list0"],
};

const OPERANDS = [
  "a.txt",
  "b.txt",
  "src",
  ".",
  "./a.txt",
  "link",
  "up/secret",
  "up",
  "../secret",
  "list",
  "list0",
  "OUT",
  "--",
  "--",
  "-",
  "./evil.sh",
  "-5",
  "+3",
  "1",
  "2",
  ",",
  "x",
  "*",
  "{}",
  ";",
  "",
];

const DID_NOT_END = "did not end";

interface Case {
  text: string;
  script: string;
}

export interface OptionReport {
  /** Command lines that were judged. */
  lines: number;
  /** Those that were judged read-only and therefore run. */
  ran: number;
  /** The number of runs per program. */
  programs: Map<string, number>;
  faults: string[];
}

/** Runs the real programs with generated options, wherever they are judged read-only, and checks that nothing happened. */
export class OptionFuzz {
  readonly #root = scratchPath();
  readonly #project = join(this.#root, "project");
  readonly #installed = Object.keys(READ_ONLY_PROGRAMS).filter(
    (name) => name !== "git" && Bun.which(name, { PATH: process.env.PATH ?? "" }),
  );
  /** Programs with harmful options come more often. */
  readonly #names = this.#installed.flatMap((name) => (HARMFUL[name] ? [name, name, name, name] : [name]));

  readonly #judge: typeof commandFacts;

  constructor(judge = commandFacts) {
    this.#judge = judge;
    this.#restore();
  }

  [Symbol.dispose](): void {
    rmSync(this.#root, { recursive: true, force: true });
  }

  run(seed: number, count: number): OptionReport {
    const random = randomOf(seed);
    const report: OptionReport = { lines: count, ran: 0, programs: new Map(), faults: [] };
    const texts = Array.from({ length: count }, () => {
      const name = random.pick(this.#names);
      return [name, ...words(random, name)].map(quote).join(" ");
    });
    const cases = texts.flatMap((text) => this.#toCase(text));
    for (const { text } of cases) {
      const name = text.split("'")[1] ?? "";
      report.programs.set(name, (report.programs.get(name) ?? 0) + 1);
    }
    return { ...report, ran: cases.length, faults: this.#faultsOf(cases) };
  }

  /** Returns the faults of those commands that are judged read-only. */
  check(texts: readonly string[]): string[] {
    return this.#faultsOf(texts.flatMap((text) => this.#toCase(text)));
  }

  #faultsOf(cases: readonly Case[]): string[] {
    const fault = this.#faultOf(cases);
    if (fault === undefined) return [];
    const faults = this.#culprits(cases);
    if (faults.length > 0) return faults;
    // Each of them ended when run alone and did nothing: the machine is too busy to run all of them within the time
    // limit for a hang.
    return fault === DID_NOT_END ? [] : [`${fault}, by none of the commands alone`];
  }

  #toCase(text: string): Case[] {
    const script = this.#readOnlyScript(text);
    return script === undefined ? [] : [{ text, script }];
  }

  #readOnlyScript(text: string): string | undefined {
    const isInside = (real: string) => real === this.#project || real.startsWith(`${this.#project}/`);
    const { reading } = this.#judge(text, {
      project: this.#project,
      cwd: this.#project,
      isInside,
      containsKeys: () => false,
      hasOwnEnvironment: false,
      isConfined: false,
    });
    return reading?.readOnlyPrograms.every(Boolean) ? reading.script : undefined;
  }

  #culprits(cases: readonly Case[]): string[] {
    return cases.flatMap((single) => {
      const fault = this.#faultOf([single]);
      return fault ? [`${single.text}: ${fault}`] : [];
    });
  }

  #faultOf(cases: readonly Case[]): string | undefined {
    const fault = this.#run(cases);
    if (fault !== undefined) this.#restore();
    return fault;
  }

  #run(cases: readonly Case[]): string | undefined {
    const before = this.#snapshot();
    const script = cases.map((single) => `(${single.script}\n) </dev/null`).join("\n");
    const child = Bun.spawnSync(["/bin/bash"], {
      cwd: this.#project,
      stdin: Buffer.from(script),
      stdout: "pipe",
      stderr: "pipe",
      timeout: 120_000,
    });
    if (child.exitCode === null) return DID_NOT_END;
    if (existsSync(join(this.#root, "STARTED"))) return "started a program";
    if (`${child.stdout}${child.stderr}`.includes("SECRET")) return "read a file outside";
    const after = this.#snapshot();
    return after === before ? undefined : `changed files:\n${after}`;
  }

  /** Returns names, kinds, sizes, times and contents of everything below the root. */
  #snapshot(directory = this.#root): string {
    const lines = readdirSync(directory)
      .sort()
      .map((name) => {
        const path = join(directory, name);
        const stats = lstatSync(path);
        const content = stats.isFile() ? createHash("sha1").update(readFileSync(path)).digest("hex") : "";
        const line = [path, stats.mode, stats.size, stats.mtimeMs, content].join(" ");
        return stats.isDirectory() ? `${line}\n${this.#snapshot(path)}` : line;
      });
    return lines.join("\n");
  }

  #restore(): void {
    rmSync(this.#root, { recursive: true, force: true });
    mkdirSync(join(this.#project, "src"), { recursive: true });
    const files: Record<string, string> = {
      "../secret": "SECRET\n",
      "a.txt": "x 1\ny 2\nx 1\n",
      "b.txt": "x 1\nz\n",
      "src/c.ts": "const x = 1;\n",
      list: "../secret\nd41d8cd98f00b204e9800998ecf8427e  ../secret\n",
      list0: "../secret\0",
      magicf: "0 string x y\n",
      "evil.sh": `#!/bin/sh\necho started > ${join(this.#root, "STARTED")}\n`,
    };
    for (const [name, content] of Object.entries(files))
      writeFileSync(join(this.#project, name), content, { mode: 0o755 });
    symlinkSync("../secret", join(this.#project, "link"));
    symlinkSync("..", join(this.#project, "up"));
  }
}

const quote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

function words(random: Random, name: string): string[] {
  return Array.from({ length: 1 + random.int(5) }, () => word(random, name));
}

function word(random: Random, name: string): string {
  const { flags = "", valued = "", long = "", words: whole = "" } = READ_ONLY_PROGRAMS[name] ?? {};
  const letters = flags + valued;
  const harmful = HARMFUL[name === "egrep" || name === "fgrep" ? "grep" : name] ?? [];
  const kind = random.int(10);
  if (kind < 2 && letters !== "") return cluster(random, letters);
  if (kind < 4 && long !== "") return longOption(random, `--${random.pick(long.split(" "))}`);
  if (kind < 4 && whole !== "") return random.pick(whole.split(" "));
  if (kind < 6 && harmful.length > 0) return longOption(random, random.pick(harmful));
  return random.pick(OPERANDS);
}

/** Returns a few letters, sometimes followed by a possible value or a harmful letter. */
function cluster(random: Random, letters: string): string {
  const own = Array.from({ length: 1 + random.int(3) }, () => random.pick([...letters])).join("");
  return `-${own}${random.chance(0.3) ? random.pick(["1", "o", "OUT", "R", "L", "f", ",", "C", "z"]) : ""}`;
}

/** Returns the option unchanged, shortened, or with a value. */
function longOption(random: Random, option: string): string {
  if (!option.startsWith("--") || random.chance(0.5)) return option;
  const shortened = option.slice(0, 3 + random.int(option.length));
  return random.chance(0.5) ? shortened : `${shortened.split("=", 1)}=${random.pick(OPERANDS)}`;
}
