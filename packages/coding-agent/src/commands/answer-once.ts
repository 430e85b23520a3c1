import { NotSavedError } from "@pintle/storage";
import { complain } from "../cli/print.ts";
import { type CommandLinePrompt, toPrompts } from "../cli/prompt-words.ts";
import { UsageError } from "../cli/usage-error.ts";
import type { Environment } from "../config/keys/environment.ts";
import { toWireModel } from "../config/models/wire-model.ts";
import { oneWayUi } from "../extensibility/ui/no-ui.ts";
import type { Frame } from "../modes/frames/update-frames.ts";
import { DIALECTS, type Dialect, parseDialect } from "../modes/rpc/dialects/dialect.ts";
import { sendInDialect } from "../modes/rpc/dialects/send-in-dialect.ts";
import { createAgentSession } from "../sdk/create-session.ts";
import type { CreatedSession } from "../sdk/options.ts";
import type { AgentSession } from "../session/agent-session.ts";
import { withheldText } from "../trust/trust-texts.ts";
import { orEnding } from "./or-ending.ts";
import { messageWords, type ProgramArguments, programOptions } from "./program-arguments.ts";

/** The process does not wait longer than this for a reader that reads nothing. */
const STALLED_READER_MS = 5_000;

/** Receives what happens, in one of the modes below. */
interface Output {
  /** A message that is always shown. */
  complain(text: string): void;
  /** A message for users. */
  notify(text: string): void;
  attend(created: CreatedSession): void;
  /** Returns the exit code. */
  answer(session: AgentSession, prompts: readonly CommandLinePrompt[]): Promise<number>;
  /** Returns the error, if not everything could be written. */
  close(session: AgentSession): Promise<string | undefined>;
}

/** The modes that answer the prompt of the command line and exit. */
export async function answerOnce(
  mode: "text" | "json",
  args: ProgramArguments,
  env: Environment,
  ending: AbortSignal,
): Promise<number> {
  const output = mode === "json" ? await openJsonOutput(args, env) : await openPrintOutput(args, env);
  const piped = process.stdin.isTTY ? "" : await orEnding(Bun.stdin.text(), ending);
  const promptsOf = (words: readonly string[]) =>
    requirePrompts(toPrompts(words, args.flags.message ?? [], piped), env);
  // With an option that only an extension may know, it is decided later which words are messages and whether the option is a
  // mistake.
  const known = args.unknown.size === 0 ? promptsOf(args.words) : undefined;
  const options = { ...programOptions(args, env, { isRpc: false }), report: (text: string) => output.complain(text) };
  const isAsked = options.trust !== "closed" && process.stdin.isTTY && mode === "text";
  const askTrust = isAsked ? (await import("../cli/trust-question.ts")).terminalAsker : undefined;
  const created = await createAgentSession({ ...options, askTrust, isUnattended: true });
  const { session, modules, mcp, trust, modelFallbackMessage } = created;
  if (modelFallbackMessage !== undefined) output.notify(modelFallbackMessage);
  for (const { path, error } of modules.faults) output.complain(`${path}: ${error}`);
  const withheld = withheldText(trust);
  if (withheld !== undefined) output.notify(withheld);
  output.attend(created);
  const ui = oneWayUi((message) => output.notify(message));
  modules.useDialogs(() => ui);
  let code = 1;
  try {
    const prompts = known ?? promptsOf(messageWords(args, modules.flagTypes));
    modules.start();
    mcp.start();
    code = await orEnding(output.answer(session, prompts), ending);
  } finally {
    const isComplete = await endAnswer(session, output);
    if (!isComplete) code = 1;
  }
  return code;
}

/**
 * Ends the session and writes the rest of the output, whatever the session throws. Returns false if output was lost. An
 * answer that could not be stored is a success with a warning.
 */
export async function endAnswer<S extends Pick<AgentSession, "dispose">>(
  session: S,
  output: { complain(text: string): void; close(session: S): Promise<string | undefined> },
): Promise<boolean> {
  let problem: string | undefined;
  try {
    await session.dispose();
  } catch (error) {
    if (!(error instanceof NotSavedError)) throw error;
    output.complain(error.message);
  } finally {
    problem = await output.close(session);
    if (problem !== undefined) complain(problem);
  }
  return problem === undefined;
}

function requirePrompts(prompts: CommandLinePrompt[], { TERM }: Environment): CommandLinePrompt[] {
  if (prompts.length > 0) return prompts;
  if (TERM === "dumb") throw new UsageError("there is no message to answer, and TERM=dumb allows no conversation");
  throw new UsageError("there is no message to answer");
}

async function openPrintOutput({ flags }: ProgramArguments, env: Environment): Promise<Output> {
  const { PrintMode } = await import("../modes/print/print-mode.ts");
  return new PrintMode({
    env,
    isQuiet: flags.quiet ?? false,
    isVerbose: flags.verbose ?? false,
    isLast: flags.last ?? false,
    prints: flags.json ? "results" : flags["output-schema"] === undefined ? "answer" : "output",
  });
}

/** Reserves stdout for the events before other code can write to it. */
async function openJsonOutput({ flags }: ProgramArguments, env: Environment): Promise<Output> {
  const [{ runJsonMode }, { FrameWriter }, { guardStdout }] = await Promise.all([
    import("../modes/json-mode.ts"),
    import("../modes/frames/frame-writer.ts"),
    import("../modes/frames/stdout-guard.ts"),
  ]);
  const dialect = parseDialect(flags.dialect, env.PINTLE_DIALECT);
  const writer = new FrameWriter({ sink: guardStdout(), layout: DIALECTS[dialect].updates });
  return {
    complain,
    notify: complain,
    attend({ session }) {
      session.subscribe((event) => {
        if (event.type === "notice") complain(event.message);
        if (event.type === "extension_error") complain(`${event.extensionPath}: ${event.error}`);
      });
    },
    answer(session, prompts) {
      const send = jsonEventSender(session, dialect, (frame) => writer.send(frame));
      return runJsonMode(session, prompts, { writer, send, complain });
    },
    async close() {
      const isWritten = await writer.drain({ stallMs: STALLED_READER_MS });
      return isWritten ? undefined : "the output could not be written completely";
    },
  };
}

/** Returns a function that writes the events of `--mode json`, where no host makes decisions and notices go to stderr. */
function jsonEventSender(
  session: AgentSession,
  dialect: Dialect,
  write: (frame: Frame) => void,
): (frame: Frame) => void {
  if (!DIALECTS[dialect].rewritesJsonMode) return write;
  const surroundings = {
    isPreviewByHost: () => false,
    isNamed: () => false,
    config: () => ({ model: toWireModel(session.model), thinkingLevel: session.thinkingLevel }),
    printNotice: () => {},
  };
  return sendInDialect(dialect, surroundings, write);
}
