import type { PendingWait } from "@pintle/client/core";
import { kindOf } from "./kinds.ts";
import type { Kind, Kinds, Question } from "./question.ts";

/** How a question ended without an answer from this page. */
export type Withdrawal = "answered" | "timeout" | "stopped";

export interface QueueEvents {
  /** Called when the list or one of its questions changes. */
  changed(): void;
  withdrawn(question: Question, why: Withdrawal): void;
}

/** Open questions for the user of this page, oldest first. */
export class QuestionQueue {
  #questions: readonly Question[] = [];
  readonly #events: QueueEvents;
  readonly #now: () => number;

  constructor(events: QueueEvents, now: () => number = Date.now) {
    this.#events = events;
    this.#now = now;
  }

  get questions(): readonly Question[] {
    return this.#questions;
  }

  /** Resolves with the answer, or with undefined if it is no longer needed. */
  ask<K extends Kind>(kind: K, asked: Kinds[K]["asked"], signal: AbortSignal): Promise<Kinds[K]["answer"] | undefined> {
    const { id = requestId, deadline, byDefault } = kindOf(kind);
    return new Promise((resolve) => {
      const end = (answer: Kinds[K]["answer"] | undefined): boolean => {
        const isOpen = this.#questions.includes(question);
        if (isOpen) this.#questions = this.#questions.filter((other) => other !== question);
        resolve(answer);
        return isOpen;
      };
      const question = {
        kind,
        id: id(asked),
        asked,
        deadline: deadline(asked, this.#now()),
        byDefault,
        answer: (answer: Kinds[K]["answer"]) => {
          if (end(answer)) this.#events.changed();
        },
      } as Question;
      signal.addEventListener("abort", () => {
        if (!end(undefined)) return;
        this.#events.changed();
        this.#events.withdrawn(question, withdrawal(signal.reason, question.deadline, this.#now()));
      });
      if (signal.aborted) return resolve(undefined);
      this.#questions = [...this.#questions, question];
      this.#events.changed();
    });
  }

  /**
   * Called when another session is shown. The questions stay open for another host, or until their deadline; none is
   * answered.
   */
  forget(): void {
    if (this.#questions.length === 0) return;
    this.#questions = [];
    this.#events.changed();
  }

  /** Applies the server's own deadlines: a question that is shown late has less time left. */
  correct(waits: readonly PendingWait[]): void {
    // There is at most one budget question, and no frame states how long it waits.
    const byId = new Map(waits.map((wait) => [wait.kind === "budget" ? "budget" : wait.id, wait]));
    for (const question of this.#questions) {
      const wait = byId.get(question.id);
      if (!wait) continue;
      question.deadline = wait.deadline;
      if (question.kind === "dialog") question.byDefault = wait.default;
    }
    if (this.#questions.some(({ id }) => byId.has(id))) this.#events.changed();
  }
}

const requestId = (asked: unknown) => (asked as { id: string }).id; // of a frame

/** The server reports the reason where it can; an engine that ends a dialog itself gives none. */
function withdrawal(reason: unknown, deadline: number | undefined, now: number): Withdrawal {
  const cause = reason instanceof Error ? reason.cause : undefined;
  if (cause === "answered" || cause === "timeout") return cause;
  return cause === undefined && deadline !== undefined && now >= deadline ? "timeout" : "stopped";
}
