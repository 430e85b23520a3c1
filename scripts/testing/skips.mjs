// Why tests were skipped, one line per reason.

/** `where` (test/support/where.ts) and the runners put the reason in brackets at the end of the test or suite name. */
const REASON = /\[([^[\]]+)\](?= > |$)/g;
const FILES_NAMED = 2;

/** Returns why a test was skipped, or undefined if its name does not say. */
export function skipReason(name) {
  return [...name.matchAll(REASON)].at(-1)?.[1];
}

/**
 * Returns a line per reason, the most frequent first.
 * @param {{ file: string, name: string }[]} skipped
 */
export function describeSkips(skipped) {
  const reasons = new Map();
  for (const { file, name } of skipped) {
    const reason = skipReason(name) ?? "without a reason";
    const { count, files } = reasons.get(reason) ?? { count: 0, files: new Set() };
    reasons.set(reason, { count: count + 1, files: files.add(file) });
  }
  return [...reasons]
    .sort(([a, { count: ofA }], [b, { count: ofB }]) => ofB - ofA || (a < b ? -1 : 1))
    .map(([reason, { count, files }]) => `${reason}: ${count} ${count === 1 ? "test" : "tests"} (${nameSome(files)})`);
}

function nameSome(files) {
  const names = [...files].map((file) => file.split("/").at(-1)).sort();
  const rest = names.length - FILES_NAMED;
  return names.slice(0, FILES_NAMED).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}
