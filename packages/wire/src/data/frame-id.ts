import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";

export const frameId = (description?: string) =>
  Type.Union([Type.String(), Type.Number()], ...(description === undefined ? [] : [{ description }]));

/** The host's label of a command; the response repeats it. */
export const FrameIdSchema = frameId();
export type FrameId = Static<typeof FrameIdSchema>;
