import type { AssistantUpdateEvent } from "@pintle/ai";

/** Checks the blocks of one answer in its updates: per block one start, deltas that add up, one end. */
export class AnswerBlocks {
  readonly #blocks = new Map<number, { kind: string; text: string; isOpen: boolean }>();

  /** Returns what is wrong with this update, if anything. */
  read(update: AssistantUpdateEvent): string | undefined {
    const [kind, step] = update.type.split("_") as [string, string];
    const block = this.#blocks.get(update.contentIndex);
    if (step === "start") {
      this.#blocks.set(update.contentIndex, { kind, text: "", isOpen: true });
      return block && `block ${update.contentIndex} started twice`;
    }
    if (!block?.isOpen || block.kind !== kind) return `block ${update.contentIndex} is not an open ${kind}`;
    if ("delta" in update) block.text += update.delta;
    if (step !== "end") return undefined;
    block.isOpen = false;
    return isSumOfDeltas(update, block.text) ? undefined : "content differs from the deltas";
  }

  /** Blocks that were started and not ended. */
  get open(): number[] {
    return [...this.#blocks].flatMap(([index, { isOpen }]) => (isOpen ? [index] : []));
  }
}

function isSumOfDeltas(update: AssistantUpdateEvent, text: string): boolean {
  if ("content" in update) return update.content === text;
  if (update.type !== "toolcall_end" || update.toolCall.argumentsError !== undefined) return true;
  try {
    return JSON.stringify(JSON.parse(text || "{}")) === JSON.stringify(update.toolCall.arguments);
  } catch {
    return false; // the deltas are not JSON, so the arguments are not their sum
  }
}
