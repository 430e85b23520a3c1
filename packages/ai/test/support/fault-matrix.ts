import { describe } from "bun:test";
import type { Model } from "../../src/model.ts";
import { describeAborts } from "./fault-matrix-abort.ts";
import { describeBytes } from "./fault-matrix-bytes.ts";
import { describeConnection } from "./fault-matrix-connection.ts";
import { describeContent } from "./fault-matrix-content.ts";
import { describeGarbage } from "./fault-matrix-garbage.ts";
import { describeStatuses } from "./fault-matrix-status.ts";

/** A protocol's own bytes, from which every fault is derived. */
export interface ProtocolSamples {
  /** A model of this protocol at the given base URL. */
  model(baseUrl: string): Model;
  /** A complete answer: some thinking if the API has it, then the text `Hällo wörld 🌍`, usage, terminal event. */
  text: string;
  /** A complete answer with the tool call `read {"path":"a.txt"}`, its arguments split over several events if they can be. */
  toolCall: string;
  /**
   * The same, but the arguments end as `{"path":"a.t` although the answer claims to be complete. Undefined if the API
   * sends them as a value that cannot be cut.
   */
  brokenToolCall?: string;
  /** Two tool calls whose argument fragments alternate, if the API allows it. */
  interleavedToolCalls: string;
  /** A 200 stream that starts with some text and then reports an overload error. */
  errorInStream: string;
  /** A complete answer without any content. */
  empty: string;
  /** An event of an unknown type, to be inserted anywhere between other events. */
  unknownEvent: string;
  /** The vendor's error body for an HTTP status. */
  errorBody(status: number, message: string): string;
  /**
   * How many events at the end of `text` and `toolCall` contain only statistics: the answer is complete without them.
   * Default 0.
   */
  trailingEvents?: number;
}

/**
 * Runs every fault that a server or a network can cause through `streamModel`; the same rules hold for each protocol.
 */
export function describeFaults(name: string, samples: ProtocolSamples): void {
  describe(`${name} faults`, () => {
    describeContent(samples);
    describeBytes(samples);
    describeGarbage(samples);
    describeStatuses(samples);
    describeConnection(samples);
    describeAborts(samples);
  });
}
