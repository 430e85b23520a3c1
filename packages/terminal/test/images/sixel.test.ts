import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type IndexedImage, readIndexedPng } from "../../src/images/indexed-png.ts";
import { encodeSixel } from "../../src/images/sixel.ts";

/** Returns what a terminal would have drawn: a color number per pixel, -1 where nothing was drawn. */
function painted(sequence: string): { width: number; height: number; pixels: number[] } {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: where the sequence begins and ends
  const [, width, height, body] = /^\u001bP0;1;0q"1;1;(\d+);(\d+)([\s\S]*)\u001b\\$/.exec(sequence)!;
  const size = { width: Number(width), height: Number(height) };
  const pixels = new Array<number>(size.width * size.height).fill(-1);
  let [x, top, colour] = [0, 0, 0];
  for (const [, number, , count, sign, control] of body!.matchAll(/#(\d+)(;2;[\d;]+)?|(?:!(\d+))?([?-~])|([$-])/g)) {
    if (number !== undefined) colour = Number(number);
    if (control !== undefined) x = 0;
    if (control === "-") top += 6;
    for (let repeat = Number(count ?? 1); sign !== undefined && repeat > 0; repeat -= 1, x += 1) {
      const bits = sign.charCodeAt(0) - 63;
      for (let row = 0; row < 6; row += 1) if (bits & (1 << row)) pixels[(top + row) * size.width + x] = colour;
    }
  }
  return { ...size, pixels };
}

const image = fc
  .record({ width: fc.integer({ min: 1, max: 20 }), height: fc.integer({ min: 1, max: 20 }) })
  .chain(({ width, height }) =>
    fc
      .array(fc.integer({ min: 0, max: 3 }), { minLength: width * height, maxLength: width * height })
      .map((pixels): IndexedImage => {
        const colours = [
          [0, 0, 0, 255],
          [255, 128, 0, 255],
          [1, 2, 3, 0],
          [255, 255, 255, 200],
        ] as const;
        return { width, height, pixels: Uint8Array.from(pixels), colours };
      }),
  );

describe("sixel", () => {
  test("every pixel is painted in its colour, and those that are transparent not at all", () => {
    fc.assert(
      fc.property(image, (given) => {
        const { width, height, pixels } = given;
        const expected = { width, height, pixels: [...pixels].map((number) => (number === 2 ? -1 : number)) };
        expect(painted(encodeSixel(given))).toEqual(expected);
      }),
    );
  });

  test("colours are in hundredths", () => {
    const one = { width: 1, height: 1, pixels: Uint8Array.of(0), colours: [[255, 128, 0, 255]] as const };
    expect(encodeSixel(one)).toBe('\u001bP0;1;0q"1;1;1;1#0;2;100;50;0#0@\u001b\\');
  });
});

/** A PNG with known pixels, converted from a handwritten bitmap of four by four. */
function bitmap(pixels: readonly (readonly [number, number, number])[]): Buffer {
  const header = Buffer.alloc(54);
  header.write("BM");
  header.writeUInt32LE(54 + 48, 2);
  header.writeUInt32LE(54, 10);
  header.writeUInt32LE(40, 14);
  header.writeInt32LE(4, 18);
  header.writeInt32LE(-4, 22); // from top to bottom
  header.writeUInt16LE(1, 26);
  header.writeUInt16LE(24, 28);
  return Buffer.concat([header, Buffer.from(pixels.flatMap(([red, green, blue]) => [blue, green, red]))]);
}

test("a PNG with a palette, as the runtime writes it, is read pixel by pixel", async () => {
  const colours = [
    [255, 0, 0],
    [0, 255, 0],
    [0, 0, 255],
    [250, 240, 10],
  ] as const;
  const pixels = [0, 1, 2, 3, 3, 3, 3, 3, 0, 0, 1, 1, 2, 1, 0, 3].map((number) => colours[number]!);
  const png = await new Bun.Image(bitmap(pixels)).png({ palette: true, colors: 8 }).toBuffer();
  const read = readIndexedPng(png);
  expect([...read.pixels].map((number) => read.colours[number])).toEqual(pixels.map((colour) => [...colour, 255]));
  expect(() => readIndexedPng(Buffer.from("nonsense"))).toThrow();
});
