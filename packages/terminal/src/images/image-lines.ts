import { allocateImageId, getCapabilities, getImageDimensions, renderImage } from "@earendil-works/pi-tui";
import type { ImageContent } from "@pintle/client";

const MAX_COLUMNS = 60;
const MAX_ROWS = 20;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
/** What the terminals of each kind draw. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  kitty: ["image/png"],
  iterm2: ["image/png", "image/jpeg", "image/gif", "image/webp"],
};

/** An image where the terminal can show it, else nothing. The rows it takes are there before it is drawn. */
export function imageLines({ data, mimeType }: Pick<ImageContent, "data" | "mimeType">, width: number): string[] {
  const { images: kind } = getCapabilities();
  if (!kind || !TYPES[kind]?.includes(mimeType) || !BASE64.test(data)) return [];
  const size = getImageDimensions(data, mimeType);
  const drawn =
    size &&
    renderImage(data, size, {
      maxWidthCells: Math.max(1, Math.min(MAX_COLUMNS, width - 2)),
      maxHeightCells: MAX_ROWS,
      moveCursor: false,
      ...(kind === "kitty" && { imageId: allocateImageId() }),
    });
  if (!drawn) return [];
  const up = drawn.rows - 1;
  const [before, after] = up > 0 ? [`\u001b[${up}A`, kind === "kitty" ? `\u001b[${up}B` : ""] : ["", ""];
  return [...Array.from({ length: up }, () => ""), `${before}${drawn.sequence}${after}`];
}
