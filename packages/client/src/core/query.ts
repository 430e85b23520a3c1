import type { RpcEvent } from "../protocol.ts";
import { EventStream } from "./event-stream.ts";
import type { RunResult } from "./run-result.ts";

/** Yields every event while a prompt runs, with `prompt_result` last. Leaving the loop aborts the run. */
export interface Query<T = unknown> extends AsyncIterable<RpcEvent> {
  readonly result: Promise<RunResult<T>>;
  /** Ends the run; `result` then resolves with `endedBy: "abort"`. */
  abort(): void;
}

/** A stream of events that closes with the end of a run. */
export class QueryStream extends EventStream {
  #isLast = false;

  /** Marks the event being delivered as the last one. Called before listeners receive that event. */
  readonly endAfterThis = (): void => {
    this.#isLast = true;
  };

  override push(event: RpcEvent): void {
    super.push(event);
    if (this.#isLast) this.close();
  }
}

/** `follow` sends the prompt and resolves when it has ended; aborting its signal aborts the run. */
export function createQuery(
  stream: EventStream,
  follow: (signal: AbortSignal) => Promise<RunResult>,
  outer?: AbortSignal,
): Query {
  const controller = new AbortController();
  const abort = () => controller.abort(outer?.aborted ? outer.reason : new Error("The query was aborted"));
  if (outer?.aborted) abort();
  outer?.addEventListener("abort", abort);
  const result = follow(controller.signal);
  // This also handles a failure that only the iterating caller sees.
  result
    .then(
      () => stream.close(),
      (error) => stream.fail(error),
    )
    .finally(() => outer?.removeEventListener("abort", abort));
  return { result, abort, [Symbol.asyncIterator]: () => leavable(stream, result, abort) };
}

/** Makes leaving the loop wait until the run has ended. */
function leavable(
  stream: EventStream,
  result: Promise<unknown>,
  abort: () => void,
): AsyncIterableIterator<RpcEvent, undefined> {
  return {
    next: () => stream.next(),
    async return() {
      abort();
      const left = await stream.return();
      await result.catch(() => {}); // `result` reports the failure
      return left;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
