import { expectsAnswer, handledKind } from "../question-frames.ts";
import type { Frame } from "../transport.ts";

/** Collects the questions that arrive or end while a snapshot waits to be delivered, because its `pending` is older. */
export class NewerQuestions {
  /** By id. Undefined if the question has ended. */
  readonly #changes = new Map<string, Frame | undefined>();

  received({ sessionId: _route, seq: _seq, ...frame }: Frame): void {
    const { id, targetId } = frame;
    const kind = handledKind(frame);
    if (typeof targetId === "string") this.ended(targetId);
    else if (kind && expectsAnswer(kind, frame)) this.#changes.set(String(id), frame);
  }

  ended(id: unknown): void {
    this.#changes.set(String(id), undefined);
  }

  /** Returns what is pending now, given what was pending in the snapshot. */
  addTo(pending: readonly Frame[]): Frame[] {
    const unchanged = pending.filter(({ id }) => !this.#changes.has(String(id)));
    return [...unchanged, ...[...this.#changes.values()].filter((frame) => frame !== undefined)];
  }
}
