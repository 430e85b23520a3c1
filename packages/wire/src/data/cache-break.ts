import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";
import { CACHE_BREAK_CAUSES, oneOf } from "../words.ts";

export const CacheBreakCauseSchema = oneOf(CACHE_BREAK_CAUSES);
export type CacheBreakCause = Static<typeof CacheBreakCauseSchema>;

export const CacheBreaksSchema = Type.Object(
  { count: Type.Integer(), bytesLost: Type.Integer(), tokensLost: Type.Integer() },
  { description: "the total of `cache_break` since the session was opened" },
);
export type CacheBreaks = Static<typeof CacheBreaksSchema>;
