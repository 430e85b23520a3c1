import { Type } from "@pintle/ai/type";

/** One of these words. */
export function oneOf<const W extends readonly string[]>(words: W, options?: { description: string }) {
  return Type.Unsafe<W[number]>(
    Type.Union(
      words.map((word) => Type.Literal(word)),
      options,
    ),
  );
}

export const TODO_STATUSES = ["pending", "in_progress", "completed", "abandoned"] as const;
