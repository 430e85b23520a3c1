import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";

export const frameId = (description?: string) =>
  Type.Union([Type.String(), Type.Number()], ...(description === undefined ? [] : [{ description }]));

/** What a host labels a command with; its answer carries the same. */
export const FrameIdSchema = frameId();
export type FrameId = Static<typeof FrameIdSchema>;
