import { existsSync } from "node:fs";
import { isatty } from "node:tty";
import type { AssistantMessage } from "@pintle/ai";
import { maskSecrets, systemTimers } from "@pintle/foundation";
import { SessionError } from "@pintle/storage";
import type { CommandLinePrompt } from "../../cli/prompt-words.ts";
import type { Environment } from "../../config/keys/environment.ts";
import { settleJobs } from "../../jobs/settle-jobs.ts";
import type { CreatedSession } from "../../sdk/options.ts";
import type { AgentSession } from "../../session/agent-session.ts";
import type { PromptInput } from "../../session/prompting/prompting.ts";
import type { RunResult } from "../../session/results/run-results.ts";
import { answerTexts, joinTexts } from "./answer-text.ts";
import { OrderedOutput } from "./ordered-output.ts";
import { showProgress } from "./progress.ts";
import { Screen } from "./screen.ts";
import { terminalText } from "./terminal-text.ts";

export interface PrintOptions {
  env: Environment;
  /** Print only the answer and failures. */
  isQuiet: boolean;
  /** Print progress even if no user is watching. */
  isVerbose: boolean;
  /** Print only the last message of the answer. */
  isLast: boolean;
  /** The output on stdout: the text of the answer, its structured output, or the result of each message. */
  prints: "answer" | "output" | "results";
}

const DEFAULT_COLUMNS = 80;

/** Answers prompts for a user or a shell: prints the answer to stdout and everything else to stderr. */
export class PrintMode {
  readonly #options: PrintOptions;
  readonly #output = new OrderedOutput();
  readonly #screen: Screen;
  readonly #hasProgress: boolean;
  /** Describes the model and where its key comes from. */
  #describe = ({ provider, id }: { provider: string; id: string }) => `${provider}/${id}`;

  constructor(options: PrintOptions) {
    const { env, isQuiet, isVerbose, isLast, prints } = options;
    const isWatched = isatty(2);
    const isPlain = env.TERM === "dumb";
    this.#options = options;
    this.#hasProgress = !isQuiet && (isWatched || isVerbose);
    this.#screen = new Screen({
      output: this.#output,
      isStreaming: isatty(1) && !isLast && prints === "answer",
      isAnimated: isWatched && !isPlain && !isQuiet,
      hasColors: isWatched && !isPlain && !env.NO_COLOR,
      columns: () => process.stderr.columns || DEFAULT_COLUMNS,
      now: systemTimers.now,
    });
  }

  /** Prints a line regardless of the options. */
  complain(text: string): void {
    this.#screen.line(`pintle: ${terminalText(maskSecrets(text))}`);
  }

  notify(text: string): void {
    if (!this.#options.isQuiet) this.complain(text);
  }

  /** From now on, shows the session's events. */
  attend({ session, registry }: CreatedSession): void {
    const talk = { hasNotices: !this.#options.isQuiet, hasProgress: this.#hasProgress };
    this.#describe = ({ provider, id }) => {
      const source = registry.keySource(provider);
      return `${provider}/${id}${source === undefined ? "" : ` (key from ${source})`}`;
    };
    session.subscribe(showProgress(this.#screen, talk, () => this.#describe(session.model)));
    session.attachHost({ reader: { ready: () => this.#output.busy } });
    if (this.#hasProgress) this.#screen.activity("starting");
  }

  /** Answers each prompt in turn. Returns the exit code. */
  answer(session: AgentSession, prompts: readonly CommandLinePrompt[]): Promise<number> {
    return this.#options.prints === "answer" ? this.#printTexts(session, prompts) : this.#printJson(session, prompts);
  }

  /** Prints a line of JSON for each message: its output, stopping at the first failure, or its result in any case. */
  async #printJson(session: AgentSession, prompts: readonly CommandLinePrompt[]): Promise<number> {
    const isResults = this.#options.prints === "results";
    let code = 0;
    for (const { text, images } of prompts) {
      const result = await this.#resultOf(session, { text, images });
      const failure = isResults ? undefined : missingOutput(result);
      if (isResults) this.#print({ type: "prompt_result", ...result, sessionSettled: true });
      else if (failure === undefined) this.#print(result.output);
      if (result.status !== "completed" || failure !== undefined) code = 1;
      if (failure === undefined) continue;
      this.complain(failure);
      break;
    }
    const cancelled = await settleJobs(session, session.settings.get("async.printWaitMs"));
    if (cancelled !== undefined) {
      this.complain(cancelled);
      code = 1;
    }
    this.#screen.close();
    return code;
  }

  /** Returns the result of a prompt, even of one that could not start. */
  async #resultOf(session: AgentSession, prompt: Pick<PromptInput, "text" | "images">): Promise<RunResult> {
    try {
      const result = await session.prompting.submit(prompt).finished;
      await session.runs.settled();
      return result ?? session.results.without({ status: "completed" });
    } catch (error) {
      if (!(error instanceof SessionError)) throw error;
      return session.results.without({ status: "error", error: { message: error.message, retryable: false } });
    }
  }

  #print(value: unknown): void {
    this.#output.write(1, `${JSON.stringify(value)}\n`);
  }

  async #printTexts(session: AgentSession, prompts: readonly CommandLinePrompt[]): Promise<number> {
    const texts: string[] = [];
    const ended: { last?: AssistantMessage | undefined; budget?: string } = {};
    session.subscribe((event) => {
      if (event.type === "command_output") {
        if (this.#screen.isStreaming) this.#output.write(1, `${terminalText(event.text)}\n`);
        else texts.push(event.text);
      }
      // Without a budget the last message says why the run ended.
      if (event.type === "budget_reached" && event.reason === undefined)
        ended.budget = `the budget is used up: ${event.limit} ${event.used} of ${event.max}`;
      if (event.type !== "agent_end") return;
      texts.push(...answerTexts(event.messages));
      ended.last = event.messages.findLast((message) => message.role === "assistant");
    });
    let failure: string | undefined;
    for (const prompt of prompts) {
      delete ended.last; // a prompt that an extension handles has no answer
      await session.prompting.submit({ text: prompt.text, images: prompt.images }).finished;
      await session.runs.settled(); // a slash command ends when its handler ends, and may have started a run
      failure = ended.budget ?? this.#failureOf(ended.last);
      if (failure !== undefined) break;
    }
    failure ??= await settleJobs(session, session.settings.get("async.printWaitMs"));
    this.#screen.close();
    if (!this.#screen.isStreaming) this.#output.write(1, joinTexts(this.#options.isLast ? texts.slice(-1) : texts));
    if (failure !== undefined) this.complain(failure);
    return failure === undefined ? 0 : 1;
  }

  /** Completes the output, even if a run was cut off, and names the session so that the user can continue it. */
  async close({ sessionFile, sessionId }: AgentSession): Promise<string | undefined> {
    this.#screen.close();
    if (sessionFile !== undefined && existsSync(sessionFile)) this.notify(`session ${sessionId}`);
    return (await this.#output.drained())?.message;
  }

  #failureOf(answer: AssistantMessage | undefined): string | undefined {
    if (answer?.stopReason === "aborted") return answer.errorMessage ?? "aborted";
    if (answer?.stopReason !== "error") return undefined;
    const { provider, model: id, errorMessage = "the model call failed" } = answer;
    // For a refused key, name its source.
    const whose = errorMessage.includes(" (key from ") ? `${provider}/${id}` : this.#describe({ provider, id });
    return `${whose}: ${errorMessage}`;
  }
}

/** Returns why there is no output, or undefined if there is one. */
function missingOutput({ status, endedBy, error, agentInvoked, output }: RunResult): string | undefined {
  if (output !== undefined) return undefined;
  if (error) return error.message;
  if (!agentInvoked) return "the message was handled without the model, so there is no output";
  return `there is no output: the run was ${status} (${endedBy})`;
}
