import type { StreamModel } from "@pintle/ai";
import type { AgentSessionEvent } from "@pintle/wire";
import { type TraceHeaders, type TracePlace, writeTraceHeaders } from "./trace-headers.ts";

/** The start of a wait during a run. */
export interface TracedWait {
  kind: string;
  toolName?: string | undefined;
  toolCallId?: string | undefined;
}

/** Creates spans for what happens in a session; loaded only if they are collected. None of it throws. */
export interface TraceRecorder {
  /** Sets the parent of the next run. */
  begin(parent: TracePlace | undefined): void;
  onEvent(event: AgentSessionEvent): void;
  wrap(stream: StreamModel): StreamModel;
  /** Returns a function that records how the wait ended. */
  onWait(wait: TracedWait): (by: string) => void;
  /** The parent for processes and requests that this tool call starts. */
  placeOf(toolCallId: string): TracePlace | undefined;
  /** Sends the remaining spans, within a time limit. */
  close(): Promise<void>;
}

/** The trace of the active run. It is passed to child processes even if nothing is recorded here. */
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

  /** Called once the run is certain to start. Without a parent of its own, it joins the trace of this process. */
  begin(given: TracePlace | undefined): void {
    this.#parent = given ?? this.#inherited;
    this.#recorder?.begin(this.#parent);
  }

  headersOf(toolCallId: string): TraceHeaders | undefined {
    const place = this.#recorder?.placeOf(toolCallId) ?? this.#parent;
    return place && writeTraceHeaders(place);
  }

  /** Records a wait for the host. */
  onWait(wait: TracedWait): ((by: string) => void) | undefined {
    return this.#recorder?.onWait(wait);
  }
}
