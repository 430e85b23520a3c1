import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchPath } from "../../../../../test/support/scratch-directory.mjs";
import { imageExports } from "../../../src/extensibility/aliases/image-exports.ts";

const { convertToPng, detectSupportedImageMimeTypeFromFile, formatDimensionNote, resizeImage } = imageExports;

const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const drawn = (width: number, height: number) => new Bun.Image(PIXEL).resize(width, height, { fit: "fill" });

test("leaves an image that fits unchanged", async () => {
  const bytes = await drawn(40, 20).png().bytes();
  const data = Buffer.from(bytes).toString("base64");
  const same = { originalWidth: 40, originalHeight: 20, width: 40, height: 20, wasResized: false };
  expect(await resizeImage(bytes, "image/png")).toEqual({ data, mimeType: "image/png", ...same });
  expect(await resizeImage({ type: "image", data, mimeType: "image/png" })).toMatchObject(same);
});

test("scales a larger image down to the limits in pixels and bytes, with a note for the model", async () => {
  const bytes = await drawn(400, 200).png().bytes();
  const resized = (await resizeImage(bytes, "image/png", { maxWidth: 100, maxHeight: 100 }))!;
  expect(resized).toMatchObject({ originalWidth: 400, width: 100, height: 50, wasResized: true });
  const decoded = await new Bun.Image(Buffer.from(resized.data, "base64")).metadata();
  expect([decoded.width, decoded.height]).toEqual([100, 50]);
  expect(formatDimensionNote(resized)).toContain("4.00");
  expect(await resizeImage(bytes, "image/png", { maxBytes: 8 })).toBeNull();
});

test("returns null for something that is not an image", async () => {
  expect(await resizeImage(Buffer.from("no image"), "image/png")).toBeNull();
  expect(await resizeImage(PIXEL.subarray(0, 40), "image/png")).toBeNull();
  expect(await convertToPng(Buffer.from("no image").toString("base64"), "image/jpeg")).toBeNull();
});

test("converts an image to PNG, and detects the type of a file", async () => {
  const jpeg = await drawn(8, 8).jpeg().bytes();
  const png = (await convertToPng(Buffer.from(jpeg).toString("base64"), "image/jpeg"))!;
  expect(png.mimeType).toBe("image/png");
  const folder = scratchPath();
  writeFileSync(join(folder, "a.txt"), Buffer.from(png.data, "base64"));
  writeFileSync(join(folder, "b.png"), "text");
  expect(await detectSupportedImageMimeTypeFromFile(join(folder, "a.txt"))).toBe("image/png");
  expect(await detectSupportedImageMimeTypeFromFile(join(folder, "b.png"))).toBeNull();
});
