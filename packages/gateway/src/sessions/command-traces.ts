/** The span of a command that starts a run: part of the host's trace, or the root of a new one. */
export interface CommandSpan {
  /** The trace fields that the engine receives instead of the host's, so that its run becomes a child of this span. */
  headers: { traceparent: string; tracestate?: string };
  /** Ends the span; only the first call has an effect. `error` is the reason of a failure. */
  end(outcome: string, error?: string): void;
}

/** Creates spans of commands. The program that starts the gateway decides whether and where to send them. */
export interface CommandTraces {
  begin(command: string, about: { sessionId: string; fields: Readonly<Record<string, unknown>> }): CommandSpan;
}

/** The spans of one session's commands in progress, by command id. */
export class OpenSpans {
  readonly #spans = new Map<string, CommandSpan>();

  add(id: string, span: CommandSpan): void {
    this.#spans.set(id, span);
  }

  end(id: unknown, outcome: string, error?: string): void {
    if (typeof id !== "string") return;
    this.#spans.get(id)?.end(outcome, error);
    this.#spans.delete(id);
  }

  endAll(outcome: string): void {
    for (const span of this.#spans.values()) span.end(outcome, outcome);
    this.#spans.clear();
  }
}
