import { describe, expect, test } from "bun:test";
import { blockImage } from "../../src/images/block-image.ts";
import { createTheme } from "../../src/screen/theme.ts";
import { widthOf } from "../../src/text/width.ts";
import { DOT, solidPng } from "../support/images.ts";

const theme = createTheme({ COLORTERM: "truecolor", TERM: "xterm-256color" });
const dot = Buffer.from(DOT, "base64");

describe("an image of block characters", () => {
  test("has two pixels per character, in the colours of the image", async () => {
    const rows = await blockImage(solidPng(3, 3, [200, 30, 30]), { columns: 10, rows: 10 }, theme);
    const painted = ["\u001b[48;2;200;30;30m\u001b[38;2;200;30;30m▀\u001b[39m\u001b[49m"];
    const lower = ["\u001b[38;2;200;30;30m▀\u001b[39m"]; // below is the background of the terminal
    expect(rows).toEqual([painted, lower].map((cell) => [...cell, ...cell, ...cell].join("")));
  });

  test("fits into the room and keeps its proportions", async () => {
    const wide = await blockImage(solidPng(400, 100, [1, 2, 3]), { columns: 40, rows: 20 }, theme);
    expect([wide?.length, widthOf(wide![0]!)]).toEqual([5, 40]);
    const high = await blockImage(solidPng(10, 1_000, [1, 2, 3]), { columns: 40, rows: 5 }, theme);
    expect([high?.length, widthOf(high![0]!)]).toEqual([5, 1]);
  });

  test("shows nothing without enough colours", async () => {
    expect(await blockImage(dot, { columns: 9, rows: 9 }, createTheme({ TERM: "xterm" }))).toBeUndefined();
    expect(await blockImage(dot, { columns: 9, rows: 9 }, createTheme({ NO_COLOR: "1" }))).toBeUndefined();
  });

  test("rejects what cannot be decoded", async () => {
    const torn = solidPng(200, 200, [1, 2, 3]).subarray(0, 80);
    expect(blockImage(torn, { columns: 9, rows: 9 }, theme)).rejects.toThrow();
  });
});
