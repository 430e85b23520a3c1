import { TIME_LIMIT_MS } from "./ripgrep-run.ts";

/** What is to be said of a search that did not see everything. */
export function incompleteNotices({ hasTimedOut, unreadable }: { hasTimedOut: boolean; unreadable: number }): string[] {
  const time = `[Stopped after ${TIME_LIMIT_MS / 1000} seconds; not everything was searched. Give a narrower path.]`;
  const paths = unreadable === 1 ? "1 path" : `${unreadable} paths`;
  return [...(hasTimedOut ? [time] : []), ...(unreadable > 0 ? [`[${paths} could not be read.]`] : [])];
}
