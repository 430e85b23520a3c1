interface ApprovedScript {
  /** The command as the model wrote it. */
  text: string;
  run: JudgedRun;
}

export interface JudgedRun {
  script: string;
  /** True if the command was allowed only because it is read-only, so that a sandbox must not let it write. */
  isReadOnly: boolean;
}

/** Commands that were allowed because of how pintle parsed them. The parsed form runs, not the original text. */
export class ApprovedScripts {
  readonly #byCall = new Map<string, ApprovedScript>();

  allow(toolCallId: string, text: string, run: JudgedRun): void {
    this.#byCall.set(toolCallId, { text, run });
  }

  /** Returns what to run for a call. Throws if another command was allowed. */
  runFor(toolCallId: string, text: string): JudgedRun {
    const approved = this.#byCall.get(toolCallId);
    if (!approved) return { script: text, isReadOnly: false };
    if (approved.text !== text) throw new Error("The command is not the one that was allowed; nothing was run.");
    return approved.run;
  }

  clear(): void {
    this.#byCall.clear();
  }
}
