import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { installNewest, nodeOfMajor } from "./peers.ts";

export type SubjectName = "floor" | "pintle delta" | "pintle full" | "pi" | "oh-my-pi";
export const SUBJECT_NAMES: readonly SubjectName[] = ["floor", "pintle delta", "pintle full", "pi", "oh-my-pi"];

/** One of the compared programs. */
export interface Subject {
  name: SubjectName;
  version: string;
  command: readonly string[];
  cwd: string;
  env: Record<string, string>;
  /** Flags that open a stored session. */
  resume(file: string): string[];
  /** Commands sent before anything is measured. */
  setUp: readonly object[];
}

export interface Absent {
  name: SubjectName;
  reason: string;
}

const repository = resolve(import.meta.dir, "../..");
const dist = join(repository, "dist");
const PEER_NODE = 24;

/** Returns the programs that can be started here, and why the others cannot. */
export function prepareSubjects(
  modelUrl: string,
  wanted: readonly SubjectName[],
): { present: Subject[]; absent: Absent[]; scratch: string } {
  const scratch = mkdtempSync(join(tmpdir(), "pintle-bench-"));
  const copy = join(scratch, "dist");
  const makers: Record<SubjectName, () => Omit<Subject, "name" | "cwd">> = {
    floor: () => floor(scratch, modelUrl),
    "pintle delta": () => pintle(copy, home("delta"), [{ type: "set_update_mode", mode: "delta" }]),
    "pintle full": () => pintle(copy, home("full"), []),
    pi: () => pi(home("pi")),
    "oh-my-pi": () => ohMyPi(home("omp")),
  };
  function home(name: string): string {
    const path = join(scratch, `home-${name}`);
    for (const file of [".pintle/models.json", ".pi/agent/models.json", ".omp/agent/models.yml"]) {
      mkdirSync(resolve(path, file, ".."), { recursive: true });
      writeFileSync(join(path, file), modelsConfig(modelUrl));
    }
    return path;
  }
  const cwd = join(scratch, "project");
  mkdirSync(cwd);
  const present: Subject[] = [];
  const absent: Absent[] = [];
  for (const name of wanted) {
    try {
      present.push({ name, cwd, ...makers[name]() });
    } catch (error) {
      absent.push({ name, reason: (error as Error).message });
    }
  }
  return { present, absent, scratch };
}

/** All three read the same object; YAML is a superset of JSON. */
function modelsConfig(baseUrl: string): string {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const model = {
    id: "m",
    name: "m",
    reasoning: false,
    input: ["text"],
    cost,
    contextWindow: 4_000_000,
    maxTokens: 100_000,
  };
  const local = { baseUrl, api: "openai-completions", apiKey: "none", models: [model] };
  return JSON.stringify({ providers: { local } });
}

const MODEL = ["--mode", "rpc", "--provider", "local", "--model", "m"];
const session = (file: string) => ["--session", file];
const environment = (home: string, extra: Record<string, string> = {}) => ({
  PATH: process.env.PATH ?? "",
  HOME: home,
  ...extra,
});

/** Uses a copy: a build in between must not change what is measured. Its digest identifies the build. */
function pintle(copy: string, home: string, setUp: readonly object[]): Omit<Subject, "name" | "cwd"> {
  if (!existsSync(copy)) cpSync(dist, copy, { recursive: true });
  const program = join(copy, "pintle");
  const { stdout } = spawnSync(program, ["--version"], { encoding: "utf8" });
  const digest = createHash("sha256").update(readFileSync(program)).digest("hex").slice(0, 8);
  const env = environment(home, { PINTLE_HOME: join(home, ".pintle") });
  return { version: `${stdout.trim()} (${digest})`, command: [program, ...MODEL], env, resume: session, setUp };
}

function pi(home: string): Omit<Subject, "name" | "cwd"> {
  const { version, directory } = installNewest("@earendil-works/pi-coding-agent");
  const command = [nodeOfMajor(PEER_NODE), binOf(directory, "pi"), "--offline", ...MODEL];
  return { version, command, env: environment(home), resume: session, setUp: [] };
}

function ohMyPi(home: string): Omit<Subject, "name" | "cwd"> {
  const { version, directory } = installNewest("@oh-my-pi/pi-coding-agent");
  const command = [process.execPath, binOf(directory, "omp"), ...MODEL];
  return { version, command, env: environment(home), resume: (file) => ["--resume", file], setUp: [] };
}

function binOf(directory: string, name: string): string {
  return join(directory, JSON.parse(readFileSync(join(directory, "package.json"), "utf8")).bin[name]);
}

function floor(scratch: string, modelUrl: string): Omit<Subject, "name" | "cwd"> {
  const out = join(scratch, "floor");
  const source = join(import.meta.dir, "floor.ts");
  const flags = ["--compile", "--bytecode", "--format=esm", "--minify-syntax", "--minify-whitespace"];
  const { status, stderr } = spawnSync(process.execPath, ["build", source, ...flags, "--outfile", out], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  const env = environment(scratch, { FLOOR_MODEL_URL: modelUrl });
  return { version: `Bun ${Bun.version}`, command: [out], env, resume: session, setUp: [] };
}
