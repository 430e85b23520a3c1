import type { EventFields, EventName } from "../api/event-types.ts";
import { describeThrown } from "../loading/load-fault.ts";
import { type Callers, callHandler } from "./call-handler.ts";
import type { HandlerOwner } from "./handler-table.ts";

interface Waiting {
  type: EventName;
  fields: object;
  /** For an update: its delta, including those merged into it. */
  delta?: string;
  /** If set, only this owner is notified. */
  only?: HandlerOwner;
}

type Update = EventFields<"message_update">;
type Progress = EventFields<"tool_execution_update">;

/** More than any run produces unless a handler hangs repeatedly. */
const MAX_WAITING = 10_000;

/**
 * Notifies handlers of what happened, in order and one after the other, after the caller has continued: nothing waits
 * for them. While they are busy, updates that supersede each other are merged.
 */
export class ObserverQueue {
  readonly #callers: Callers;
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;
  #isOverflowing = false;

  constructor(callers: Callers) {
    this.#callers = callers;
  }

  push<E extends EventName>(type: E, fields: EventFields<E>, only?: HandlerOwner): void {
    if (!this.#callers.handlers.has(type)) return;
    if (this.#isMerged(type, fields)) return;
    if (this.#waiting.length >= MAX_WAITING) {
      this.#overflow(type);
      return;
    }
    const delta = isUpdate(type, fields) ? deltaOf(fields) : undefined;
    this.#waiting.push({ type, fields, ...(delta !== undefined && { delta }), ...(only && { only }) });
    this.#running ??= this.#run();
  }

  /** Resolves when the queue is empty. */
  async idle(): Promise<void> {
    while (this.#running) await this.#running;
  }

  /** Drops everything that is queued. */
  clear(): void {
    this.#waiting = [];
  }

  async #run(): Promise<void> {
    await undefined; // let the caller continue first
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) await this.#deliver(next);
    this.#isOverflowing = false;
    this.#running = undefined;
  }

  async #deliver({ type, fields, delta, only }: Waiting): Promise<void> {
    const { handlers, limits, report } = this.#callers;
    const shown = delta !== undefined && isUpdate(type, fields) ? withDelta(fields, delta) : fields;
    for (const subscriber of handlers.of(type)) {
      if (only && subscriber.instance !== only) continue;
      try {
        const answer = callHandler(subscriber, { type, ...shown }, limits.usualMs);
        if (answer instanceof Promise) await answer;
      } catch (error) {
        report({ path: subscriber.instance.path, event: type, error: describeThrown(error) });
      }
    }
  }

  /** Returns true if the event was merged into a queued one. Updates of parallel calls may alternate. */
  #isMerged(type: EventName, fields: object): boolean {
    for (let index = this.#waiting.length - 1; ; index -= 1) {
      const last = this.#waiting[index];
      if (last?.type !== type) return false;
      if (merge(last, fields)) return true;
      if (type !== "tool_execution_update") return false;
    }
  }

  #overflow(type: EventName): void {
    if (this.#isOverflowing) return;
    this.#isOverflowing = true;
    for (const { instance } of this.#callers.handlers.of(type)) {
      this.#callers.report({ path: instance.path, event: type, error: "handlers fell behind; events were dropped" });
    }
  }
}

// `push` takes type and fields together, so the fields match the type.

function isUpdate(type: EventName, _fields: object): _fields is Update {
  return type === "message_update";
}

function isProgress(type: EventName, _fields: object): _fields is Progress {
  return type === "tool_execution_update";
}

/** Returns true if the newer event has replaced the older one. */
function merge(last: Waiting, fields: object): boolean {
  const { type } = last;
  if (isProgress(type, last.fields)) {
    if (!isProgress(type, fields) || last.fields.toolCallId !== fields.toolCallId) return false;
    last.fields = fields;
    return true;
  }
  if (!isUpdate(type, last.fields) || !isUpdate(type, fields) || last.delta === undefined) return false;
  const before = last.fields.assistantMessageEvent;
  const after = fields.assistantMessageEvent;
  const delta = deltaOf(fields);
  if (delta === undefined || before.type !== after.type || before.contentIndex !== after.contentIndex) return false;
  last.delta += delta;
  last.fields = fields;
  return true;
}

function deltaOf({ assistantMessageEvent: event }: Update): string | undefined {
  return "delta" in event ? event.delta : undefined;
}

function withDelta(update: Update, delta: string): object {
  return { ...update, assistantMessageEvent: { ...update.assistantMessageEvent, delta } };
}
