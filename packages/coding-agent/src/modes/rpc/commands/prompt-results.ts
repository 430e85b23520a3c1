import type { FrameId, PromptResultFrame, ServerFrame } from "@pintle/wire";

type Ending = Pick<PromptResultFrame, "agentInvoked" | "status" | "error">;
type AgentEnd = Extract<ServerFrame, { type: "agent_end" }>;

/** One accepted prompt, until its end is told. */
export interface OpenPrompt {
  id: FrameId | undefined;
}

/**
 * Tells the end of a prompt under its id, once: hosts of the newer oh-my-pi wait for that, because the end of a run does not
 * say whose it was. A prompt that fails late ends with that failure instead.
 */
export class PromptResults {
  readonly #send: (frame: PromptResultFrame) => void;
  readonly #inRun = new Set<OpenPrompt>();
  #lastRun: Ending = { agentInvoked: true, status: "completed" };

  constructor(send: (frame: PromptResultFrame) => void) {
    this.#send = send;
  }

  /** It ends with the run that is active or about to start. */
  joinsRun(prompt: OpenPrompt): void {
    this.#inRun.add(prompt);
  }

  /** It was dealt with, and no run came of it. */
  handled(prompt: OpenPrompt): void {
    this.#tell(prompt, { agentInvoked: false, status: "completed" });
  }

  /** One whose run has settled was told; the others waited for a run that was cancelled before it began. */
  runIsOver(prompt: OpenPrompt): void {
    if (this.#inRun.has(prompt)) this.#tell(prompt, { agentInvoked: false, status: "aborted" });
  }

  /** Called behind each frame: what hosts know of a run comes as it always did, and this after it. */
  observe(frame: ServerFrame): void {
    if (frame.type === "agent_end") this.#lastRun = endingOf(frame);
    else if (frame.type === "agent_settled") for (const prompt of [...this.#inRun]) this.#tell(prompt, this.#lastRun);
  }

  #tell(prompt: OpenPrompt, ending: Ending): void {
    this.#inRun.delete(prompt);
    const { id } = prompt;
    this.#send({ type: "prompt_result", ...(id !== undefined && { id }), ...ending, sessionSettled: true });
  }
}

function endingOf({ messages, stopReason }: AgentEnd): Ending {
  if (stopReason === "aborted") return { agentInvoked: true, status: "aborted" };
  if (stopReason !== "error") return { agentInvoked: true, status: "completed" };
  const answer = messages.findLast((message) => message.role === "assistant");
  const { errorMessage = "The model failed", provider, model } = answer ?? {};
  // What is worth another attempt was attempted again before the run ended.
  const error = { message: errorMessage, retryable: false, ...(provider && { provider }), ...(model && { model }) };
  return { agentInvoked: true, status: "error", error };
}
