import type { ToolResult } from "@pintle/agent";
import type { ImageType } from "../../files/image-type.ts";
import { errorCode } from "../../files/system-error.ts";
import type { ReadDetails } from "../read.ts";
import { formatBytes } from "../shared/truncate.ts";
import type { ToolContext } from "../tool-context.ts";
import { type FittedImage, fitImage } from "./fit-image.ts";

const MAX_FILE_BYTES = 64 * 1024 * 1024;

export interface ImageFile {
  shownPath: string;
  mimeType: ImageType;
  size: number;
  load(): Promise<Uint8Array>;
}

/** The image for the model, or a text that says why there is none. */
export async function readImage(file: ImageFile, context: ToolContext): Promise<ToolResult<ReadDetails>> {
  const { shownPath, mimeType, size } = file;
  const what = `${shownPath} is an image (${mimeType}, ${formatBytes(size)})`;
  const leftOut = reasonToLeaveOut(context) ?? (size > MAX_FILE_BYTES ? "it is too large" : undefined);
  if (leftOut) return noteOnly(`[${what}. It was left out: ${leftOut}.]`, mimeType);

  const image = await fit(file, context.settings.get("images.autoResize"));
  if (!image) return noteOnly(`[${what}. It was left out: it is too large for a model.]`, mimeType);
  return {
    content: [
      { type: "text", text: `[${what}, ${sizeText(image)}.]` },
      { type: "image", data: image.base64, mimeType: image.mimeType },
    ],
    details: { kind: "image", mimeType: image.mimeType },
  };
}

function reasonToLeaveOut(context: ToolContext): string | undefined {
  if (context.settings.get("images.blockImages")) return "images are switched off (images.blockImages)";
  return context.takesImages() ? undefined : "the current model takes no images";
}

async function fit({ shownPath, mimeType, load }: ImageFile, mayResize: boolean): Promise<FittedImage | undefined> {
  const bytes = await load();
  try {
    return await fitImage(bytes, mimeType, mayResize);
  } catch (error) {
    throw new Error(`${shownPath} looks like an image but cannot be decoded (${String(errorCode(error))}).`, {
      cause: error,
    });
  }
}

function sizeText({ width, height, original }: FittedImage): string {
  const isShrunk = width !== original.width || height !== original.height;
  const shown = `${width}x${height} pixels`;
  return isShrunk ? `shown with ${shown} instead of ${original.width}x${original.height}` : shown;
}

function noteOnly(text: string, mimeType: string): ToolResult<ReadDetails> {
  return { content: [{ type: "text", text }], details: { kind: "image", mimeType } };
}
