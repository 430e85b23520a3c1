import { existsSync } from "node:fs";
import { THINKING_LEVELS, type ThinkingLevel } from "@pintle/ai";
import { type Arguments, parseArguments, UsageError, usageText, wordsBeside } from "./cli/args.ts";
import type { CommandLinePrompt } from "./cli/prompt-words.ts";
import { readNamedFile } from "./cli/read-named-file.ts";
import type { Environment } from "./config/environment.ts";
import { parseSetFlags } from "./config/settings-flags.ts";
import {
  type CreateAgentSessionOptions,
  type CreatedSession,
  createAgentSession,
  createModelRegistry,
  StartUpError,
} from "./sdk.ts";
import type { AgentSession } from "./session/agent-session.ts";
import type { SessionChoice } from "./session/session-choice.ts";
import { SessionError } from "./session/session-error.ts";
import { withheldText } from "./trust/trust-texts.ts";
import { version } from "./version.ts";

const MODES = ["text", "json", "rpc", "rpc-ui"] as const;
type Mode = (typeof MODES)[number];

/** A reader that has taken nothing for so long does not keep the process. */
const STALLED_READER_MS = 5_000;
const MCP_WAIT_MS = 5_000;

const NO_FILES_TEXT = "@file arguments are not supported in RPC mode";

/** Arguments → mode. Gives the exit code; `ending` fires when the process is asked to end. */
export async function main(argv: readonly string[], env: Environment, ending: AbortSignal): Promise<number> {
  const isRpc = /(^| )--mode[= ]rpc/.test(argv.join(" "));
  try {
    const args = parseArguments(argv);
    if (args.flags.help) return await print(usageText());
    if (args.flags.version) return await print(`${version}\n`);
    const mode = readMode(args);
    if (args.flags.cwd !== undefined) process.chdir(args.flags.cwd);
    if (args.flags["list-models"] !== undefined)
      return await listModels(args.flags["list-models"], env, args.flags.offline ?? false);
    if (args.flags.export !== undefined) return await exportSession(args.flags.export, args, env);
    if (mode === "rpc" || mode === "rpc-ui") return await startRpc(args, env, ending);
    return await startOnce(mode, args, env, ending);
  } catch (error) {
    if (error instanceof UsageError) {
      complain(`${error.message}\nTry: pintle --help`);
      return isRpc ? 1 : 2;
    }
    if (error instanceof StartUpError || error instanceof SessionError || isSystemError(error)) {
      complain(error.message);
      return 1;
    }
    throw error;
  }
}

async function startRpc(args: Arguments, env: Environment, ending: AbortSignal): Promise<number> {
  // What may be the value of an extension's flag is looked at when extensions are loaded.
  if (wordsBeside(args, () => true).some(isFileWord)) {
    console.error(`Error: ${NO_FILES_TEXT}`);
    return 1;
  }
  const { startRpcMode, parseDialect } = await import("./modes/rpc/start-rpc.ts");
  const dialect = parseDialect(args.flags.dialect, env.PINTLE_DIALECT);
  const create = async () => {
    const created = await createAgentSession({ ...sessionOptions(args, env), rpc: true });
    const words = messageWords(args, created);
    if (words.some(isFileWord)) {
      await created.session.dispose();
      throw new StartUpError(NO_FILES_TEXT);
    }
    if (words.length > 0) complain("a message on the command line is ignored in RPC mode");
    return created;
  };
  return startRpcMode(create, {
    ending,
    version,
    env,
    isUiForbidden: args.flags["no-ui"] ?? false,
    isUiDeclared: args.flags.mode === "rpc-ui",
    dialect,
  });
}

/** Without those that an extension's flag takes as its value. */
function messageWords(args: Arguments, { modules }: CreatedSession): string[] {
  return wordsBeside(args, (flag) => modules.flagTypes.get(flag) === "string");
}

function isFileWord(word: string): boolean {
  return word.startsWith("@");
}

/** Modes that answer what stands on the command line and exit. */
async function startOnce(
  mode: "text" | "json",
  args: Arguments,
  env: Environment,
  ending: AbortSignal,
): Promise<number> {
  const output = mode === "json" ? await openJsonOutput() : undefined;
  const { toPrompts } = await import("./cli/prompt-words.ts");
  const piped = process.stdin.isTTY ? "" : await orEnding(Bun.stdin.text(), ending);
  // With an option that only an extension can know it is seen later which words are messages.
  const known = args.following.length === 0 ? requirePrompts(toPrompts(args.words, piped)) : undefined;
  const options = sessionOptions(args, env);
  const isAsked = options.trust === undefined && process.stdin.isTTY && mode === "text";
  const trusting = isAsked && { trust: (await import("./cli/trust-question.ts")).terminalAsker };
  const created = await createAgentSession({ ...options, ...trusting });
  const { session, modules, mcp, trust, modelFallbackMessage } = created;
  if (modelFallbackMessage !== undefined) complain(modelFallbackMessage);
  for (const { path, error } of modules.faults) complain(`${path}: ${error}`);
  if (trust.withheld.length > 0) complain(withheldText(trust.withheld, trust.obstacle));
  session.subscribe((event) => {
    if (event.type === "notice") complain(event.message);
    if (event.type === "extension_error") complain(`${event.extensionPath}: ${event.error}`);
  });
  let code = 1;
  try {
    const prompts = known ?? requirePrompts(toPrompts(messageWords(args, created), piped));
    modules.start();
    mcp.start();
    // One answer is all there is: servers that are quick to connect shall take part in it.
    await orEnding(mcp.connected(MCP_WAIT_MS), ending);
    code = await orEnding(output ? output.run(session, prompts) : runPrint(session, prompts), ending);
  } finally {
    // The answer was given; that it could not be stored was said in a notice.
    await session.dispose().catch(() => {});
    if ((await output?.drain()) === false) {
      complain("the output could not be written completely");
      code = 1;
    }
  }
  return code;
}

function requirePrompts(prompts: CommandLinePrompt[]): CommandLinePrompt[] {
  if (prompts.length === 0) throw new UsageError("there is no message to answer");
  return prompts;
}

async function runPrint(session: AgentSession, prompts: readonly CommandLinePrompt[]): Promise<number> {
  const { runPrintMode } = await import("./modes/print-mode.ts");
  return runPrintMode(session, prompts, { print, complain });
}

/** Takes stdout for the events before anything else could write to it. */
async function openJsonOutput() {
  const [{ runJsonMode }, { FrameWriter }, { guardStdout }] = await Promise.all([
    import("./modes/json-mode.ts"),
    import("./modes/frames/frame-writer.ts"),
    import("./modes/frames/stdout-guard.ts"),
  ]);
  const writer = new FrameWriter({ sink: guardStdout() });
  return {
    run: (session: AgentSession, prompts: readonly CommandLinePrompt[]) =>
      runJsonMode(session, prompts, { writer, complain }),
    drain: () => writer.drain({ stallMs: STALLED_READER_MS }),
  };
}

/** Nobody should have to ask twice: whatever is waited for, a signal ends the wait. */
function orEnding<T>(work: Promise<T>, ending: AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const onEnding = () => reject(new StartUpError(`ended by ${ending.reason}`));
  if (ending.aborted) onEnding();
  ending.addEventListener("abort", onEnding, { once: true });
  work.then(resolve, reject).finally(() => ending.removeEventListener("abort", onEnding));
  return promise;
}

async function exportSession(name: string, { flags, words }: Arguments, env: Environment): Promise<number> {
  if (words.length > 1) throw new UsageError("--export takes one session and at most one file to write");
  const [{ exportHtml }, { findSessionFile }] = await Promise.all([
    import("./export/export-html.ts"),
    import("./export/export-source.ts"),
  ]);
  const cwd = process.cwd();
  const sessionDir = flags["session-dir"];
  const [outputPath] = words;
  const written = await exportHtml({
    source: {
      path: await findSessionFile(name, {
        cwd,
        env,
        ...(sessionDir !== undefined && { sessionDir }),
        report: complain,
      }),
    },
    cwd,
    ...(outputPath !== undefined && { outputPath }),
    redact: flags.redact ?? false,
    version,
    report: complain,
  });
  return print(`${written.path}\n`);
}

async function listModels(search: string | true, env: Environment, isOffline: boolean): Promise<number> {
  const { registry } = createModelRegistry(env, complain);
  if (!isOffline) await registry.discoverLocal();
  const { modelTable } = await import("./cli/model-table.ts");
  return print(modelTable(registry.getAvailable(), search === true ? "" : search));
}

function sessionOptions({ flags, unknown }: Arguments, env: Environment): CreateAgentSessionOptions {
  const thinking = readThinking(flags.thinking);
  const settings = parseSetFlags(flags.set ?? []);
  if ("error" in settings) throw new UsageError(settings.error);
  return {
    env,
    settings: { ...settings.overrides, ...(flags.offline && { "models.probeLocal": false }) },
    report: complain,
    verbose: flags.verbose ?? false,
    flags: {
      ...(flags.provider !== undefined && { provider: flags.provider }),
      ...(flags.model !== undefined && { model: flags.model }),
      ...(flags.models !== undefined && { models: flags.models.split(",") }),
      ...(thinking && { thinking }),
    },
    session: readSessionChoice(flags),
    ...(flags["session-dir"] !== undefined && { sessionDir: flags["session-dir"] }),
    ...(flags["provider-session-id"] !== undefined && { providerSessionId: flags["provider-session-id"] }),
    ...(flags["api-key"] !== undefined && { apiKey: flags["api-key"] }),
    ...(flags["system-prompt"] !== undefined && { systemPrompt: textOrFile(flags["system-prompt"]) }),
    appendSystemPrompt: (flags["append-system-prompt"] ?? []).map(textOrFile),
    enableMCP: !flags["no-mcp"],
    rules: !flags["no-rules"],
    trust: flags["no-approve"] ? "closed" : flags.approve ? "open" : undefined,
    resources: {
      hasContextFiles: !flags["no-context-files"],
      hasSkills: !flags["no-skills"],
      skillFilter: flags.skills === undefined ? undefined : splitNames(flags.skills),
      skillPaths: flags.skill ?? [],
      hasTemplates: !flags["no-prompt-templates"],
      templatePaths: flags["prompt-template"] ?? [],
    },
    customToolPaths: flags["custom-tool"] ?? [],
    additionalExtensionPaths: flags.extension ?? [],
    disableExtensionDiscovery: flags["no-extensions"] ?? false,
    extensionFlags: unknown,
    publicExports: () => import("./index.ts"),
    ownsProcess: true,
    ...(flags.record !== undefined && { record: flags.record }),
    ...(flags.replay !== undefined && { replay: flags.replay }),
    ...(flags["replay-speed"] !== undefined && { replaySpeed: Number(flags["replay-speed"]) }),
    ...(flags.tools !== undefined && { tools: splitNames(flags.tools) }),
    ...(flags["no-builtin-tools"] && { noTools: "builtin" as const }),
    ...(flags["no-tools"] && { noTools: "all" as const }),
  };
}

function splitNames(list: string): string[] {
  return list
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

function readSessionChoice(flags: Arguments["flags"]): SessionChoice {
  if (flags.resume === true) throw new UsageError("--resume needs the id or path of a session");
  const named = (["session", "resume", "continue", "session-id", "fork"] as const).filter(
    (name) => flags[name] !== undefined,
  );
  // The id of a copy may be chosen; anything else names two sessions.
  if (named.length > 1 && named.join() !== "session-id,fork") {
    throw new UsageError(`--${named.join(" and --")} cannot be used together`);
  }
  const open = flags.session ?? flags.resume;
  return {
    ...(open !== undefined && { open }),
    ...(flags.continue && { continueRecent: true }),
    ...(flags["session-id"] !== undefined && { id: flags["session-id"] }),
    ...(flags.fork !== undefined && { fork: flags.fork }),
    ...(flags["no-session"] && { inMemory: true }),
    ...(flags.name !== undefined && { name: flags.name }),
  };
}

function readMode({ flags }: Arguments): Mode {
  const mode = flags.mode ?? "text";
  if ((MODES as readonly string[]).includes(mode)) return mode as Mode;
  if (mode === "acp") throw new UsageError("--mode acp is not available in this version");
  throw new UsageError(`--mode must be one of ${MODES.join(", ")}, not "${mode}"`);
}

/** A level this program does not know is no reason to refuse a host's start. */
function readThinking(level: string | undefined): ThinkingLevel | undefined {
  if (level === undefined || (THINKING_LEVELS as readonly string[]).includes(level))
    return level as ThinkingLevel | undefined;
  complain(`unknown thinking level "${level}" is ignored`);
  return undefined;
}

function textOrFile(value: string): string {
  return value.length < 4096 && existsSync(value) ? readNamedFile(value).toString("utf8") : value;
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === "string";
}

async function print(text: string): Promise<number> {
  const { printText } = await import("./cli/print.ts");
  await printText(text);
  return 0;
}

function complain(text: string): void {
  console.error(`pintle: ${text}`);
}
