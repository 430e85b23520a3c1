import { cutText } from "@pintle/ai";

/** Makes a foreign name safe to show in a terminal. */
export function shown(name: string): string {
  const clean = name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "?");
  return cutText(clean, 80);
}
