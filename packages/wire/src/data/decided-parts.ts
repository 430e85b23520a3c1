import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";

const parts = (what: string) =>
  Type.Object({
    files: Type.Array(Type.String(), { description: `paths that were ${what} as a whole` }),
    hunks: Type.Array(Type.String(), { description: `hunks that were ${what}, of files applied in part` }),
  });

/** What became of a preview that has `changes`; missing if applying or discarding it failed. */
export const decidedParts = () => ({
  applied: Type.Optional(parts("applied")),
  discarded: Type.Optional(parts("discarded")),
  edited: Type.Optional(
    Type.Array(Type.String(), { description: "paths of applied files whose text the host replaced by its own" }),
  ),
});
export type DecidedParts = {
  [K in keyof ReturnType<typeof decidedParts>]-?: Static<ReturnType<typeof decidedParts>[K]>;
};
