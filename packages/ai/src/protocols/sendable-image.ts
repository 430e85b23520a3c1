import type { ImageContent } from "../messages.ts";
import type { Model } from "../model.ts";

const MEDIA_TYPES = ["image/jpeg", "image/png", "image/gif", "image/webp"] as const;

export type MediaType = (typeof MEDIA_TYPES)[number];

export type SendableImage = { mediaType: MediaType; data: string } | { leftOut: string };

/**
 * Returns an image for an API that supports these types, or a note in its place: one unsupported image would make every
 * later request of the session fail.
 */
export function toSendableImage(
  { data, mimeType }: ImageContent,
  model: Model,
  known: readonly MediaType[] = MEDIA_TYPES,
): SendableImage {
  if (!model.input.includes("image")) return { leftOut: "(an image was left out: this model takes only text)" };
  const written = mimeType.toLowerCase();
  const mediaType = known.find((type) => type === (written === "image/jpg" ? "image/jpeg" : written));
  return mediaType ? { mediaType, data } : { leftOut: `(an image was left out: ${mimeType} is not supported)` };
}
