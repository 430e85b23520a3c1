interface ApprovedScript {
  /** The command as the model wrote it. */
  text: string;
  script: string;
}

/** What runs for commands that were allowed because of how they were read: the reading, not the original text. */
export class ApprovedScripts {
  readonly #byCall = new Map<string, ApprovedScript>();

  allow(toolCallId: string, text: string, script: string): void {
    this.#byCall.set(toolCallId, { text, script });
  }

  /** Returns what to run for a call. Throws if the reading is of another command. */
  scriptFor(toolCallId: string, text: string): string {
    const approved = this.#byCall.get(toolCallId);
    if (!approved) return text;
    if (approved.text !== text) throw new Error("The command is not the one that was allowed; nothing was run.");
    return approved.script;
  }

  clear(): void {
    this.#byCall.clear();
  }
}
