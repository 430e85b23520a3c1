import { duration } from "../../format.ts";

const SECOND = 1000;

/** In whole seconds; empty during the first second. */
export function passed(since: number): string {
  const seconds = Math.floor((Date.now() - since) / SECOND);
  return seconds > 0 ? duration(seconds * SECOND) : "";
}
