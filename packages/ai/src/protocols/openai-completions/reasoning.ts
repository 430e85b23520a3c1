import type { ReasoningDetail, ReasoningField, WireDelta } from "./wire.ts";

/**
 * Returns the field of a delta that contains reasoning. Servers that fill several repeat the content, so the first one
 * wins.
 */
export function reasoningField(delta: WireDelta): ReasoningField | undefined {
  // Unrolled, because it runs for every delta.
  if (isText(delta.reasoning_content)) return "reasoning_content";
  if (isText(delta.reasoning)) return "reasoning";
  if (isText(delta.reasoning_text)) return "reasoning_text";
  return undefined;
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

/** Returns the text of OpenRouter's items; encrypted ones have none. */
export function detailText(detail: ReasoningDetail): string {
  const text = detail.text ?? detail.summary;
  return typeof text === "string" ? text : "";
}

/** Collects items that must be sent back unchanged, and joins the fragments of each. */
export class ReasoningDetails {
  readonly #items: ReasoningDetail[] = [];

  add(piece: ReasoningDetail): void {
    const last = this.#items.at(-1);
    if (!last || !isSameItem(last, piece)) {
      this.#items.push({ ...piece });
      return;
    }
    for (const [key, value] of Object.entries(piece)) {
      const before = last[key];
      if (value === null || value === undefined) continue;
      last[key] = GROWING.has(key) && typeof before === "string" ? before + String(value) : value;
    }
  }

  /** Returns undefined if there were none. */
  toJson(): string | undefined {
    return this.#items.length > 0 ? JSON.stringify(this.#items) : undefined;
  }
}

const GROWING: ReadonlySet<string> = new Set(["text", "summary"]);

/** Encrypted items are never split. */
function isSameItem(a: ReasoningDetail, b: ReasoningDetail): boolean {
  if (a.type !== b.type || a.type === "reasoning.encrypted") return false;
  return typeof a.index === "number" && a.index === b.index && (a.id ?? b.id) === (b.id ?? a.id);
}
