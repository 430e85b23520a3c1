import type { EventFields, EventName } from "../api/event-types.ts";
import { describeThrown } from "../loading/load-fault.ts";
import { type Callers, callHandler } from "./call-handler.ts";
import type { HandlerOwner } from "./handler-table.ts";

interface Waiting {
  type: EventName;
  fields: object;
  /** Of an update: its text and that of those it was merged with. */
  delta?: string;
  /** The only one that is told. */
  only?: HandlerOwner;
}

type Update = EventFields<"message_update">;
type Progress = EventFields<"tool_execution_update">;

/** More than any run leaves behind unless a handler hangs again and again. */
const MAX_WAITING = 10_000;

/**
 * Tells handlers what happened, in order and one after the other, after the caller has gone on: nothing waits for them.
 * While they are busy, updates that supersede each other become one.
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

  /** Resolves when nothing waits any more. */
  async idle(): Promise<void> {
    while (this.#running) await this.#running;
  }

  /** What still waits is dropped. */
  clear(): void {
    this.#waiting = [];
  }

  async #run(): Promise<void> {
    await undefined; // the caller goes first
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) await this.#tell(next);
    this.#isOverflowing = false;
    this.#running = undefined;
  }

  async #tell({ type, fields, delta, only }: Waiting): Promise<void> {
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

  /** True: it has taken the place of one that waits. Calls that run side by side report in turns. */
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

// The fields belong to the event: `push` takes both together.

function isUpdate(type: EventName, _fields: object): _fields is Update {
  return type === "message_update";
}

function isProgress(type: EventName, _fields: object): _fields is Progress {
  return type === "tool_execution_update";
}

/** True: the newer one has taken the place of the older. */
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
