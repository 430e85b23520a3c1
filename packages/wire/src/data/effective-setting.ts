import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";
import { oneOf } from "../words.ts";

/** A setting with its effective value. */
export const EffectiveSettingSchema = Type.Object({
  key: Type.String(),
  value: Type.Optional(Type.Unknown({ description: "absent if there is none" })),
  source: oneOf(["default", "user", "project", "override"]),
  file: Type.Optional(Type.String({ description: "where the value comes from" })),
  meaning: Type.String(),
});
export type EffectiveSetting = Static<typeof EffectiveSettingSchema>;
