import { type SettingRows, setting } from "../setting-row.ts";
import { flag } from "../settings-types.ts";

/** Images for models. */
export const IMAGES = {
  "images.autoResize": setting({
    type: flag,
    default: true,
    project: "always",
    host: "any",
    meaning: "Shrink images that are larger than the model accepts.",
  }),
  "images.blockImages": setting({
    type: flag,
    default: false,
    isStrict: true,
    project: "always",
    meaning: "Never send images to a model.",
  }),
} satisfies SettingRows;
