import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32, deflateSync } from "node:zlib";
import type { Machine } from "../../../coding-agent/test/support/scenarios/stored-sessions.ts";

/** A PNG of one pixel. */
export const DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** The environment's model accepts images. */
export function letSeeImages({ env: { PINTLE_HOME = "" } }: Machine): void {
  const file = join(PINTLE_HOME, "models.json");
  const models = JSON.parse(readFileSync(file, "utf8"));
  models.providers.local.models = [{ id: "m", input: ["text", "image"] }];
  writeFileSync(file, JSON.stringify(models));
}

/** Returns a PNG file of one opaque color. */
export function solidPng(width: number, height: number, rgb: readonly [number, number, number]): Buffer {
  const chunk = (name: string, content: Buffer) => {
    const named = Buffer.concat([Buffer.from(name), content]);
    return Buffer.concat([uint32(content.length), named, uint32(crc32(named))]);
  };
  const row = Buffer.from([0, ...Array.from({ length: width }, () => rgb).flat()]);
  const header = Buffer.concat([uint32(width), uint32(height), Buffer.from([8, 2, 0, 0, 0])]);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)));
  const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", pixels), chunk("IEND", Buffer.alloc(0))]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
