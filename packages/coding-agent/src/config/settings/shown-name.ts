import { cutText } from "@pintle/ai";

/** A name from outside, made fit for a terminal. */
export function shown(name: string): string {
  const clean = name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "?");
  return cutText(clean, 80);
}
