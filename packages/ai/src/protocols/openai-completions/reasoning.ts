import type { ReasoningDetail, ReasoningField, WireDelta } from "./wire.ts";

/** The field of a delta that holds reasoning. Servers that fill several repeat themselves, so the first one counts. */
export function reasoningField(delta: WireDelta): ReasoningField | undefined {
  // Written out, since it is asked for every delta.
  if (isText(delta.reasoning_content)) return "reasoning_content";
  if (isText(delta.reasoning)) return "reasoning";
  if (isText(delta.reasoning_text)) return "reasoning_text";
  return undefined;
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

/** What OpenRouter's items say in words; encrypted ones say nothing. */
export function detailText(detail: ReasoningDetail): string {
  const text = detail.text ?? detail.summary;
  return typeof text === "string" ? text : "";
}

/** Items that must be sent back as they came; the pieces of one item are put together again. */
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

  /** Undefined when there were none. */
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
