import {
  type AssistantEventStream,
  delay,
  type Fetch,
  type Model,
  onAbort,
  type StreamModel,
  type StreamOptions,
} from "@pintle/ai";
import { createMask } from "./masking/mask.ts";
import { canonicalRequest, requestKey } from "./matching/canonical-request.ts";
import { type Places, requestPlaces, restorePlaces, streamPlaces } from "./matching/places.ts";
import { missError } from "./miss.ts";
import { readRecordedModels } from "./recorded-models.ts";
import { recordExchange } from "./recording/exchange-recorder.ts";
import { listRecordings, RecordingsError, readExtraRules, readStream } from "./recording/recording-directory.ts";
import { RecordingWriter } from "./recording/recording-writer.ts";
import { type ReplayPace, replayResponse, type Wait } from "./replayed-response.ts";

export interface RecordingsOptions {
  /** Directory in which every exchange with a provider is stored. */
  record?: string | undefined;
  /** Directory of recorded exchanges that are replayed instead of calling providers. With `record`, misses go to the provider. */
  replay?: string | undefined;
  /** How much faster than recorded: 1 keeps the recorded pauses. Without it, a replay has no pauses. */
  speed?: number | undefined;
  places(): Places;
  /** All keys that are known now. */
  secrets(): readonly string[];
  /** Reports a recording that could not be stored. The answer itself is not affected. */
  report(problem: string): void;
  now?: () => number;
  wait?: Wait;
}

export interface Recordings {
  /** Models that need no key, the default first. Empty without `replay`. */
  models: readonly Model[];
  /**
   * The provider layer with recording, replay, or both. Requests of a subagent are matched only with its own, because several
   * may send the same at the same time.
   */
  wrap(stream: StreamModel, subagent?: RecordedSubagent): StreamModel;
}

export interface RecordedSubagent {
  /** The `task` call that started it and its position there, equal in every run: `1.0`, or `1.0/2.3` for one below another. */
  place: string;
  /** The directory that it works in. */
  cwd(): string;
}

/** Throws RecordingsError or the system's error for a directory that cannot be used. */
export function openRecordings(options: RecordingsOptions): Recordings {
  const { record, replay } = options;
  const recorded = replay === undefined ? [] : listRecordings(replay);
  if (replay !== undefined && record === undefined && recorded.length === 0) {
    throw new RecordingsError(`There are no recordings in ${replay}. Make some with --record ${replay}`);
  }
  const directories = new Set([record, replay].filter((directory) => directory !== undefined));
  const rules = [...directories].flatMap(readExtraRules);
  const writer = record === undefined ? undefined : new RecordingWriter(record, options.report);
  const pace = toPace(options);
  const counts = new Map<string, number>();

  const answer = async (url: string, init: RequestInit, call: Call): Promise<Response> => {
    const secrets = () => [...options.secrets(), ...credentialsOf(init, call.options)];
    const places = { ...options.places(), ...(call.subagent && { cwd: call.subagent.cwd() }) };
    const mask = createMask({ secrets: secrets(), places: requestPlaces(places) });
    const { model, options: callOptions, subagent } = call;
    const sent = { model, url, body: readBody(init), sessionId: callOptions.sessionId, subagent: subagent?.place };
    const request = canonicalRequest(sent, mask, rules);
    const key = requestKey(request);
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);

    const hit = recorded.filter((recording) => recording.key === key && recording.isComplete)[count - 1];
    if (hit && replay !== undefined) {
      const signal = init.signal ?? new AbortController().signal;
      return replayResponse(readStream(replay, hit.name), { restore: restorePlaces(places), pace, signal });
    }
    if (!writer) throw await missError({ directory: replay!, key, request, count, recordings: recorded });
    const slot = writer.claim({ key, count, request, model: call.model, mask });
    return recordExchange(url, init, {
      network: call.options.fetch ?? fetch,
      now: options.now ?? (() => performance.now()),
      isOver: call.isOver,
      onDone: call.onDone,
      wasOverBeforeAbort: call.wasOverBeforeAbort,
      store: (exchange) => {
        call.forget();
        writer.store(slot, exchange, createMask({ secrets: secrets(), places: streamPlaces(places) }));
      },
    });
  };

  return {
    models: replay === undefined ? [] : readRecordedModels(replay),
    wrap: (stream, subagent) => withFetch(stream, subagent, answer),
  };
}

interface Call {
  model: Model;
  options: StreamOptions;
  subagent: RecordedSubagent | undefined;
  isOver(): boolean;
  wasOverBeforeAbort(): boolean;
  onDone(listener: () => void): void;
  forget(): void;
}

/** Sits between an adapter and the network. Models without a network, such as the offline model, never use it. */
function withFetch(
  stream: StreamModel,
  subagent: RecordedSubagent | undefined,
  answer: (url: string, init: RequestInit, call: Call) => Promise<Response>,
): StreamModel {
  return (model, context, options = {}) => {
    let events: AssistantEventStream | undefined;
    let wasOver = false;
    let onDone = () => {};
    // Listen first, because later listeners end the stream, and then the reason is lost.
    const forget = onAbort(options.signal, () => {
      wasOver = events?.isClosed ?? false;
    });
    const call: Call = {
      model,
      options,
      subagent,
      isOver: () => events?.isClosed ?? false,
      wasOverBeforeAbort: () => wasOver,
      onDone: (listener) => {
        onDone = listener;
      },
      forget,
    };
    const fetch: Fetch = (url, init) => answer(url, init, call);
    events = stream(model, context, { ...options, fetch });
    events.onDone(() => onDone());
    return events;
  };
}

/** Parses the body as JSON. Every built-in API sends JSON; a provider package may not. */
function readBody({ body }: RequestInit): unknown {
  const text = body instanceof Uint8Array ? new TextDecoder().decode(body) : String(body);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function toPace({ speed, wait = delay }: RecordingsOptions): ReplayPace {
  if (speed !== undefined && !(speed > 0 && Number.isFinite(speed))) {
    throw new RecordingsError(`The replay speed must be a number above 0, not ${speed}`);
  }
  return { speed, wait };
}

/** Names of headers that contain a key. Others contain words, such as a version, that may appear in any text. */
const SECRET_HEADER = /auth|key|token|secret|cookie|password/i;

/** Returns all secrets in a request except those in its body. */
export function credentialsOf({ headers }: RequestInit, { apiKey }: StreamOptions): string[] {
  const secret = [...new Headers(headers)].filter(([name]) => SECRET_HEADER.test(name)).map(([, value]) => value);
  return apiKey ? [apiKey, ...secret] : secret;
}
