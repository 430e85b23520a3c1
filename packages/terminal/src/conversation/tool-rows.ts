import type { AgentToolResult } from "@pintle/client";
import type { App } from "../app.ts";
import { ToolRow } from "../tools/tool-row.ts";

/** The open calls by id: being written or running. */
export class ToolRows {
  readonly #app: App;
  readonly #rows = new Map<string, ToolRow>();
  /** Calls that have ended; later updates of them are ignored. */
  readonly #ended = new Set<string>();
  /** Arguments of dropped calls by id: after a reconnect, their results may still arrive. */
  readonly #dropped = new Map<string, unknown>();

  constructor(app: App) {
    this.#app = app;
  }

  write(id: string, name: string, args: unknown): void {
    if (!this.#ended.has(id)) this.#row(id, name, args).write(args);
  }

  start(id: string, name: string, args: unknown): void {
    this.#row(id, name, args).start(args);
    this.#app.feed.changed();
  }

  update(id: string, name: string, args: unknown, partial: AgentToolResult): void {
    const row = this.#row(id, name, args);
    row.start(args);
    row.update(partial);
    this.#app.feed.changed();
  }

  end(id: string, name: string, result: AgentToolResult, durationMs: number | undefined): void {
    if (this.#ended.has(id)) return;
    this.#row(id, name, this.#dropped.get(id) ?? {}).end(result, durationMs);
    this.#rows.delete(id);
    this.#app.answerTimes.forget(id);
    this.#dropped.delete(id);
    this.#ended.add(id);
    this.#app.feed.changed();
  }

  /** Drops all open calls, whose results are no longer expected. */
  dropAll(): void {
    for (const [id, row] of this.#rows) {
      row.drop();
      this.#dropped.set(id, row.args);
    }
    this.#rows.clear();
    this.#app.feed.changed();
  }

  #row(id: string, name: string, args: unknown): ToolRow {
    const { answerTimes, feed } = this.#app;
    const row = this.#rows.get(id) ?? feed.add(new ToolRow(name, args, this.#app, () => answerTimes.of(id)));
    this.#rows.set(id, row);
    return row;
  }
}
