import { complain, printText } from "../cli/print.ts";
import { type CommandLinePrompt, toPrompts } from "../cli/prompt-words.ts";
import { UsageError } from "../cli/usage-error.ts";
import type { Environment } from "../config/environment.ts";
import { createAgentSession } from "../sdk.ts";
import type { AgentSession } from "../session/agent-session.ts";
import { withheldText } from "../trust/trust-texts.ts";
import { orEnding } from "./or-ending.ts";
import { messageWords, type ProgramArguments, programOptions } from "./program-arguments.ts";

/** A reader that has taken nothing for so long does not keep the process. */
const STALLED_READER_MS = 5_000;
const MCP_WAIT_MS = 5_000;

/** Modes that answer what stands on the command line and exit. */
export async function answerOnce(
  mode: "text" | "json",
  args: ProgramArguments,
  env: Environment,
  ending: AbortSignal,
): Promise<number> {
  const output = mode === "json" ? await openJsonOutput() : undefined;
  const piped = process.stdin.isTTY ? "" : await orEnding(Bun.stdin.text(), ending);
  // With an option that only an extension can know it is seen later which words are messages.
  const known = args.following.length === 0 ? requirePrompts(toPrompts(args.words, piped)) : undefined;
  const options = programOptions(args, env, { isRpc: false });
  const isAsked = options.trust !== "closed" && process.stdin.isTTY && mode === "text";
  const askTrust = isAsked ? (await import("../cli/trust-question.ts")).terminalAsker : undefined;
  const created = await createAgentSession({ ...options, askTrust });
  const { session, modules, mcp, trust, modelFallbackMessage } = created;
  if (modelFallbackMessage !== undefined) complain(modelFallbackMessage);
  for (const { path, error } of modules.faults) complain(`${path}: ${error}`);
  const withheld = withheldText(trust);
  if (withheld !== undefined) complain(withheld);
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
  const { runPrintMode } = await import("../modes/print-mode.ts");
  return runPrintMode(session, prompts, { print: printText, complain });
}

/** Takes stdout for the events before anything else could write to it. */
async function openJsonOutput() {
  const [{ runJsonMode }, { FrameWriter }, { guardStdout }] = await Promise.all([
    import("../modes/json-mode.ts"),
    import("../modes/frames/frame-writer.ts"),
    import("../modes/frames/stdout-guard.ts"),
  ]);
  const writer = new FrameWriter({ sink: guardStdout() });
  return {
    run: (session: AgentSession, prompts: readonly CommandLinePrompt[]) =>
      runJsonMode(session, prompts, { writer, complain }),
    drain: () => writer.drain({ stallMs: STALLED_READER_MS }),
  };
}
