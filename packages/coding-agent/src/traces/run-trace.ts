import type { StreamModel } from "@pintle/ai";
import type { AgentSessionEvent } from "@pintle/wire";
import { type TraceHeaders, type TracePlace, writeTraceHeaders } from "./trace-headers.ts";

/** Something that a run waits for, from its beginning. */
export interface TracedWait {
  kind: string;
  toolName?: string | undefined;
  toolCallId?: string | undefined;
}

/** Makes spans of what happens in a session; loaded only where somebody collects them. None of it throws. */
export interface TraceRecorder {
  /** The run that starts next belongs there. */
  begin(parent: TracePlace | undefined): void;
  onEvent(event: AgentSessionEvent): void;
  wrap(stream: StreamModel): StreamModel;
  /** Gives the way to tell how the wait ended. */
  onWait(wait: TracedWait): (by: string) => void;
  /** Where what this tool call starts belongs. */
  placeOf(toolCallId: string): TracePlace | undefined;
  /** Sends what is left, within a bound. */
  close(): Promise<void>;
}

/** Which trace the active run belongs to, whether or not it is recorded here: what it starts is always told. */
export class RunTrace {
  readonly #inherited: TracePlace | undefined;
  readonly #recorder: TraceRecorder | undefined;
  #parent: TracePlace | undefined;

  constructor(inherited?: TracePlace, recorder?: TraceRecorder) {
    this.#inherited = inherited;
    this.#parent = inherited;
    this.#recorder = recorder;
  }

  get recorder(): TraceRecorder | undefined {
    return this.#recorder;
  }

  /** Called when nothing can stop the run from starting any more. Without a place of its own it belongs to this process's. */
  begin(given: TracePlace | undefined): void {
    this.#parent = given ?? this.#inherited;
    this.#recorder?.begin(this.#parent);
  }

  headersOf(toolCallId: string): TraceHeaders | undefined {
    const place = this.#recorder?.placeOf(toolCallId) ?? this.#parent;
    return place && writeTraceHeaders(place);
  }

  /** For a wait on the host. */
  onWait(wait: TracedWait): ((by: string) => void) | undefined {
    return this.#recorder?.onWait(wait);
  }
}
