import type { Model } from "@pintle/ai";
import { isSystemError } from "@pintle/foundation";
import type { Mask } from "../masking/mask.ts";
import { type CanonicalRequest, formatRequest } from "../matching/canonical-request.ts";
import { addRecordedModel } from "../recorded-models.ts";
import { maskEvents } from "./mask-events.ts";
import {
  claimRecording,
  listRecordings,
  makePrivateDirectory,
  recordingName,
  writeStream,
} from "./recording-directory.ts";
import { formatAnswer, type RecordedAnswer } from "./stream-file.ts";

export interface Claim {
  key: string;
  /** Number of this request among those with the same key in this run. */
  count: number;
  request: CanonicalRequest;
  model: Model;
  mask: Mask;
}

/**
 * Stores exchanges in a directory. The n-th request of a kind replaces the n-th one of an earlier run, because
 * a second recording is made for its new answers.
 */
export class RecordingWriter {
  readonly #directory: string;
  readonly #report: (problem: string) => void;
  readonly #earlier = new Map<string, string[]>();
  readonly #models = new Set<string>();
  #next = 1;

  constructor(directory: string, report: (problem: string) => void) {
    this.#directory = directory;
    this.#report = report;
    makePrivateDirectory(directory);
    for (const { key, name, number } of listRecordings(directory)) {
      this.#earlier.set(key, [...(this.#earlier.get(key) ?? []), name]);
      this.#next = Math.max(this.#next, number + 1);
    }
  }

  /** Returns the name for the answer, or undefined if it cannot be stored. */
  claim({ key, count, request, model, mask }: Claim): string | undefined {
    return this.#attempt(() => {
      this.#keepModel(model, mask);
      const earlier = this.#earlier.get(key)?.[count - 1];
      if (earlier !== undefined) return earlier;
      const text = formatRequest(request);
      for (;;) {
        const name = recordingName(this.#next, key);
        this.#next += 1;
        if (claimRecording(this.#directory, name, text)) return name;
      }
    });
  }

  store(name: string | undefined, { head, events, end }: RecordedAnswer, mask: Mask): void {
    if (name === undefined) return;
    const masked: RecordedAnswer = {
      head: { ...head, headers: Object.fromEntries(entriesOf(head.headers, mask)) },
      events: maskEvents(events, mask),
      end: end.error ? { ...end, error: { ...end.error, message: mask.text(end.error.message) } } : end,
    };
    this.#attempt(() => writeStream(this.#directory, name, formatAnswer(masked)));
  }

  #keepModel(model: Model, mask: Mask): void {
    const name = `${model.provider}/${model.id}`;
    if (this.#models.has(name)) return;
    addRecordedModel(this.#directory, model, mask);
    this.#models.add(name);
  }

  /** A full disk must not lose the answer. */
  #attempt<T>(step: () => T): T | undefined {
    try {
      return step();
    } catch (error) {
      if (!isSystemError(error)) throw error;
      this.#report(`an exchange could not be recorded: ${error.message}`);
      return undefined;
    }
  }
}

function entriesOf(headers: Record<string, string>, mask: Mask): [string, string][] {
  return Object.entries(headers).map(([name, value]) => [name, mask.text(value)]);
}
