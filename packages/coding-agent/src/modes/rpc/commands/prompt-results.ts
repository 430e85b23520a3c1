import type { FrameId, PromptResultFrame, ServerFrame } from "@pintle/wire";
import type { RunResult, RunResults } from "../../../session/results/run-results.ts";
import type { PromptEnding } from "./command-call.ts";

/** One accepted prompt, until its end is emitted. */
export interface OpenPrompt {
  id: FrameId | undefined;
}

/**
 * Reports the end of each prompt once, with its id. Hosts of newer oh-my-pi versions wait for it, because the end of a run
 * does not name its prompt. A prompt that fails late ends with that failure instead.
 */
export class PromptResults {
  readonly #send: (frame: PromptResultFrame) => void;
  readonly #results: () => Pick<RunResults, "last" | "without">;
  readonly #inRun = new Set<OpenPrompt>();

  constructor(send: (frame: PromptResultFrame) => void, results: () => Pick<RunResults, "last" | "without">) {
    this.#send = send;
    this.#results = results;
  }

  /** The prompt ends with the run that is active or about to start. */
  joinsRun(prompt: OpenPrompt): void {
    this.#inRun.add(prompt);
  }

  /** The prompt was handled without a run. */
  handled(prompt: OpenPrompt, ending: PromptEnding): void {
    this.#sendResult(prompt, this.#results().without(ending));
  }

  /**
   * Ends the remaining prompts, which waited for a run that was cancelled before it started. The others were reported when
   * their run settled.
   */
  runIsOver(prompt: OpenPrompt): void {
    if (this.#inRun.has(prompt)) this.handled(prompt, { status: "aborted", endedBy: "abort" });
  }

  /** Called after each frame, so that the usual events of a run come first and the result after them. */
  observe(frame: ServerFrame): void {
    if (frame.type !== "agent_settled") return;
    const result = this.#results().last;
    if (result) for (const prompt of [...this.#inRun]) this.#sendResult(prompt, result);
  }

  #sendResult(prompt: OpenPrompt, result: RunResult): void {
    this.#inRun.delete(prompt);
    const { id } = prompt;
    this.#send({ type: "prompt_result", ...(id !== undefined && { id }), ...result, sessionSettled: true });
  }
}
