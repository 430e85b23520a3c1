import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";
import { oneOf } from "../words.ts";

export const CompactionActionSchema = oneOf(["context-full", "handoff"]);

export const CompactionResultSchema = Type.Object({
  summary: Type.String(),
  shortSummary: Type.Optional(Type.String()),
  firstKeptEntryId: Type.String({ description: "the summary replaces everything before this entry" }),
  tokensBefore: Type.Number(),
  estimatedTokensAfter: Type.Optional(Type.Number({ description: "an estimate of the compacted conversation" })),
  details: Type.Optional(Type.Unknown()),
  preserveData: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});
export type CompactionResult = Static<typeof CompactionResultSchema>;
