/** Returns how long the server asks us to wait: the longest of its hints, or undefined if there is none. */
export function retryAfterMs(headers: Headers, now: number = Date.now()): number | undefined {
  return longestWait(
    toMs(headers.get("retry-after-ms"), 1),
    retryAfter(headers.get("retry-after"), now),
    toMs(headers.get("x-ratelimit-reset-ms"), 1),
    resetTime(headers.get("x-ratelimit-reset"), now),
  );
}

export function longestWait(...waits: (number | undefined)[]): number | undefined {
  const known = waits.filter((wait) => wait !== undefined);
  return known.length > 0 ? Math.max(...known) : undefined;
}

/** Google's hint: `{"@type": "…/google.rpc.RetryInfo", "retryDelay": "34.07s"}` among an error's details. */
export function retryAfterMsInDetails(details: unknown): number | undefined {
  if (!Array.isArray(details)) return undefined;
  return longestWait(...details.map((detail: { retryDelay?: unknown } | null) => toDelay(detail?.retryDelay)));
}

function toDelay(value: unknown): number | undefined {
  return typeof value === "string" && value.endsWith("s") ? toMs(value, 1000) : undefined;
}

/** The same hint inside a sentence: `try again in 1m20.5s`, `retry-after-ms=300`. */
export function retryAfterMsInText(text: string): number | undefined {
  const explicit = /retry-after-ms\s*[=:]\s*(\d+)/i.exec(text);
  if (explicit) return Number(explicit[1]);
  const spoken =
    /(?:try again|retry) (?:in|after) (?:(\d+)\s*m(?:in(?:ute)?s?)?(?![a-z])\s*)?(?:(\d+(?:\.\d+)?)\s*(ms|s(?:ec(?:ond)?s?)?)\b)?/i.exec(
      text,
    );
  if (!spoken || (spoken[1] === undefined && spoken[2] === undefined)) return undefined;
  const unit = spoken[3]?.toLowerCase() === "ms" ? 1 : 1000;
  return Math.ceil(Number(spoken[1] ?? 0) * 60_000 + Number(spoken[2] ?? 0) * unit);
}

/** Seconds or an HTTP date. */
function retryAfter(value: string | null, now: number): number | undefined {
  if (value === null) return undefined;
  const seconds = toMs(value, 1000);
  if (seconds !== undefined) return seconds;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** Epoch milliseconds, epoch seconds, or seconds from now, distinguished by magnitude. */
function resetTime(value: string | null, now: number): number | undefined {
  const number = toMs(value, 1);
  if (number === undefined) return undefined;
  if (number > 1e12) return Math.max(0, number - now);
  if (number > 1e9) return Math.max(0, number * 1000 - now);
  return number * 1000;
}

function toMs(value: string | null, unit: number): number | undefined {
  if (value === null || !/^\s*\d+(\.\d+)?\s*s?$/.test(value)) return undefined;
  return Math.ceil(Number.parseFloat(value) * unit);
}
