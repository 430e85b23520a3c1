import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ProviderError } from "@pintle/ai";
import { isSystemError } from "@pintle/foundation";
import { type CanonicalRequest, formatRequest } from "./matching/canonical-request.ts";
import { commonMessages, fieldsOf, firstDifference, messagesOf } from "./matching/first-difference.ts";
import { makePrivateDirectory, type RecordingName, readRequest } from "./recording/recording-directory.ts";

export interface Miss {
  directory: string;
  key: string;
  request: CanonicalRequest;
  /** How often this request was made, including this time. */
  count: number;
  recordings: readonly RecordingName[];
}

interface Nearest {
  name: string;
  request: CanonicalRequest;
  common: number;
}

/** Limits the search for the nearest recording in a huge directory. */
const MAX_COMPARED = 1000;
const DIFF_TIMEOUT_MS = 2_000;

/** The error for a request that was not recorded. A retry would not help, so its kind is not retried. */
export async function missError(miss: Miss): Promise<ProviderError> {
  const isKnown = miss.recordings.some(({ key }) => key === miss.key);
  const nearest = isKnown ? undefined : findNearest(miss);
  const written = await writeMiss(miss, nearest);
  const lines = [`No recording for this request (key ${miss.key})`, ...explain(miss, nearest), ...written];
  return new ProviderError("not_found", lines.join("\n"));
}

function explain({ key, count, recordings }: Miss, nearest: Nearest | undefined): string[] {
  const same = recordings.filter((recording) => recording.key === key);
  const complete = same.filter(({ isComplete }) => isComplete);
  if (complete.length > 0) {
    return [
      `It was recorded ${times(complete.length)} (${complete.at(-1)?.name}), and this is request number ${count}.`,
    ];
  }
  if (same.length > 0) return [`The recording ${same[0]?.name} has no answer: the process ended before it arrived.`];
  if (!nearest) return ["The directory contains no recordings."];
  const total = messagesOf(nearest.request.body).length;
  return [`Nearest recording: ${nearest.name}, ${nearest.common} of its ${total} messages are the same.`];
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}

/** Prefers the most equal leading messages, then the longest equal start of the next message, then the most equal fields. */
function findNearest({ directory, request, recordings }: Miss): Nearest | undefined {
  let best: (Nearest & { score: readonly number[] }) | undefined;
  for (const { name } of recordings.slice(0, MAX_COMPARED)) {
    const other = readRequest(directory, name);
    if (!other) continue;
    const common = commonMessages(other, request);
    const score = [common, commonBeginning(other, request, common), equalFields(other, request)];
    if (!best || isGreater(score, best.score)) best = { name, request: other, common, score };
  }
  return best;
}

function isGreater(a: readonly number[], b: readonly number[]): boolean {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at !== -1 && a[at]! > b[at]!;
}

function commonBeginning(a: CanonicalRequest, b: CanonicalRequest, message: number): number {
  const [left = "", right = ""] = [a, b].map(({ body }) => JSON.stringify(messagesOf(body)[message] ?? ""));
  let length = 0;
  while (length < left.length && left[length] === right[length]) length += 1;
  return length;
}

function equalFields(a: CanonicalRequest, b: CanonicalRequest): number {
  const [left, right] = [a, b].map(({ body, ...rest }): Record<string, unknown> => ({ ...rest, ...fieldsOf(body) }));
  const keys = Object.keys({ ...left, ...right });
  return keys.filter((key) => JSON.stringify(left?.[key]) === JSON.stringify(right?.[key])).length;
}

/** Describes the first difference and writes both requests to files. A directory that is not writable causes no second error. */
async function writeMiss({ directory, key, request }: Miss, nearest: Nearest | undefined): Promise<string[]> {
  const difference = nearest && firstDifference(nearest.request, request);
  const words = difference
    ? [`First difference: ${difference.where}: recorded ${difference.recorded}, now ${difference.now}`]
    : [];
  const misses = join(directory, "misses");
  try {
    makePrivateDirectory(misses);
    writeFileSync(join(misses, ".gitignore"), "*\n", { mode: 0o600 });
    writeFileSync(join(misses, `${key}.request.json`), formatRequest(request), { mode: 0o600 });
    const diff = nearest && (await unifiedDiff(nearest, { key, request }));
    if (!diff) return words;
    writeFileSync(join(misses, `${key}.diff`), diff, { mode: 0o600 });
    return [...words, `The full difference: ${join(misses, `${key}.diff`)}`];
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return words;
  }
}

async function unifiedDiff(
  nearest: Nearest,
  now: { key: string; request: CanonicalRequest },
): Promise<string | undefined> {
  const { createTwoFilesPatch } = await import("diff");
  return createTwoFilesPatch(
    `recorded/${nearest.name}.request.json`,
    `now/${now.key}.request.json`,
    formatRequest(nearest.request),
    formatRequest(now.request),
    undefined,
    undefined,
    { context: 3, timeout: DIFF_TIMEOUT_MS },
  );
}
