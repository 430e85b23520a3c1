import type { KeyBindings } from "./key-bindings.ts";

/** Returns the hint at a fold: the key that unfolds it, or nothing without a key. */
export function expandHint(keys: Pick<KeyBindings, "keysOf">): string {
  const [key] = keys.keysOf("expand");
  return key === undefined ? "" : ` (${key} to expand)`;
}
