import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { installNewest, nodeOfMajor } from "../side-by-side/peers.ts";
import type { ToolTrial } from "./calls.ts";
import { serveTrials } from "./model-server.ts";

const TIME_LIMIT_MS = 240_000;

type Call = Pick<ToolTrial, "tool" | "args">;

/** A program that takes its tool calls from a scripted model. */
export interface Program {
  name: string;
  /** The program's names for the tools of the trials, and the format of their arguments. */
  translate?(trial: Call): Call;
  /** The program edits with `apply_patch`, which it recognizes in commands. */
  editsWithPatches?: boolean;
  command(url: string, home: string): string[];
}

function modelsJson(home: string, folder: string, url: string): void {
  mkdirSync(join(home, folder), { recursive: true });
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const limits = { contextWindow: 1_000_000, maxTokens: 10_000 };
  const model = { id: "m", name: "m", reasoning: false, input: ["text"], cost, ...limits };
  const local = { baseUrl: url, api: "openai-completions", apiKey: "none", models: [model] };
  writeFileSync(join(home, folder, "models.json"), JSON.stringify({ providers: { local } }));
}

function binOf(directory: string, name: string): string {
  return join(directory, JSON.parse(readFileSync(join(directory, "package.json"), "utf8")).bin[name]);
}

const PRINT = ["-p", "--provider", "local", "--model", "m"];

const PROGRAMS: readonly (() => Program)[] = [
  () => ({
    name: "pintle",
    command(url, home) {
      modelsJson(home, ".pintle", url);
      return [resolve(import.meta.dir, "../../dist/pintle"), ...PRINT, "--permissions", "full", "go"];
    },
  }),
  () => {
    const { version, directory } = installNewest("@earendil-works/pi-coding-agent");
    return {
      name: `pi ${version}`,
      command(url, home) {
        modelsJson(home, ".pi/agent", url);
        const tools = "read,bash,edit,write,grep,find,ls";
        return [nodeOfMajor(24), binOf(directory, "pi"), "--offline", ...PRINT, "--tools", tools, "go"];
      },
    };
  },
  () => {
    const { version, directory } = installNewest("@openai/codex");
    return {
      name: `codex ${version}`,
      translate: toCodex,
      editsWithPatches: true,
      command(url, home) {
        mkdirSync(join(home, ".codex"), { recursive: true });
        const provider = `[model_providers.local]\nname = "local"\nbase_url = "${url}"\nwire_api = "responses"\n`;
        const rights = 'approval_policy = "never"\nsandbox_mode = "danger-full-access"\n';
        const config = `model = "m"\nmodel_provider = "local"\n${rights}${provider}`;
        writeFileSync(join(home, ".codex/config.toml"), config);
        return [process.execPath, binOf(directory, "codex"), "exec", "--skip-git-repo-check", "go"];
      },
    };
  },
];

/** codex has one tool for commands; it lacks the other tools of the trials. */
function toCodex(trial: Call): Call {
  const { command, ...rest } = trial.args as { command?: unknown };
  return trial.tool === "bash" && typeof command === "string"
    ? { ...trial, tool: "exec_command", args: { cmd: command, ...rest } }
    : trial;
}

/** Returns the programs that can be started here, and prints why the others cannot. */
export function availablePrograms(): Program[] {
  return PROGRAMS.flatMap((make) => {
    try {
      return [make()];
    } catch (error) {
      console.error(`left out: ${(error as Error).message}`);
      return [];
    }
  });
}

/** The results of the calls, and the content that the program left in each of the files. */
export interface Played {
  results: (string | undefined)[];
  files: Record<string, string>;
}

/** Has the program make the calls one after another, in a new directory with these files. */
export async function play(
  program: Program,
  trials: readonly Call[],
  files: Readonly<Record<string, string>>,
): Promise<Played> {
  const scratch = mkdtempSync(join(tmpdir(), "pintle-bench-tools-"));
  const [home, cwd] = [join(scratch, "home"), join(scratch, "project")];
  mkdirSync(home);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  const server = serveTrials(trials.map((trial) => program.translate?.(trial) ?? trial));
  const [file = "", ...args] = program.command(server.url, home);
  // pi looks for ripgrep on the PATH.
  const path = `${resolve(import.meta.dir, "../../dist/native")}:${process.env.PATH}`;
  const env = { PATH: path, HOME: home, PINTLE_HOME: join(home, ".pintle"), OPENAI_API_KEY: "none" };
  const child = spawn(file, args, { cwd, env, stdio: "ignore" });
  const timer = setTimeout(() => child.kill("SIGKILL"), TIME_LIMIT_MS);
  await new Promise((done) => child.on("close", done).on("error", done));
  clearTimeout(timer);
  server.stop();
  try {
    return {
      results: trials.map((_, index) => server.results[index]),
      files: Object.fromEntries(Object.keys(files).map((name) => [name, readFileSync(join(cwd, name), "utf8")])),
    };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
