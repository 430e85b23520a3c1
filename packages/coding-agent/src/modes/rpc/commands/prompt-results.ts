import type { FrameId, PromptResultFrame, ServerFrame } from "@pintle/wire";
import type { RunResult, RunResults } from "../../../session/results/run-results.ts";
import type { PromptEnding } from "./command-call.ts";

/** One accepted prompt, until its end is emitted. */
export interface OpenPrompt {
  id: FrameId | undefined;
}

/**
 * Tells the end of a prompt under its id, once: hosts of the newer oh-my-pi wait for that, because the end of a run does not
 * say whose it was. A prompt that fails late ends with that failure instead.
 */
export class PromptResults {
  readonly #send: (frame: PromptResultFrame) => void;
  readonly #results: () => Pick<RunResults, "last" | "without">;
  readonly #inRun = new Set<OpenPrompt>();

  constructor(send: (frame: PromptResultFrame) => void, results: () => Pick<RunResults, "last" | "without">) {
    this.#send = send;
    this.#results = results;
  }

  /** It ends with the run that is active or about to start. */
  joinsRun(prompt: OpenPrompt): void {
    this.#inRun.add(prompt);
  }

  /** It was dealt with, and no run came of it. */
  handled(prompt: OpenPrompt, ending: PromptEnding): void {
    this.#tell(prompt, this.#results().without(ending));
  }

  /** Prompts whose run has settled were reported; the others waited for a run that was cancelled before it began. */
  runIsOver(prompt: OpenPrompt): void {
    if (this.#inRun.has(prompt)) this.handled(prompt, { status: "aborted", endedBy: "abort" });
  }

  /** Called behind each frame: what hosts know of a run comes as it always did, and this after it. */
  observe(frame: ServerFrame): void {
    if (frame.type !== "agent_settled") return;
    const result = this.#results().last;
    if (result) for (const prompt of [...this.#inRun]) this.#tell(prompt, result);
  }

  #tell(prompt: OpenPrompt, result: RunResult): void {
    this.#inRun.delete(prompt);
    const { id } = prompt;
    this.#send({ type: "prompt_result", ...(id !== undefined && { id }), ...result, sessionSettled: true });
  }
}
