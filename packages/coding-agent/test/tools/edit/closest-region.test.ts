import { expect, test } from "bun:test";
import { findClosestRegion, MIN_SIMILARITY } from "../../../src/tools/edit/not-found.ts";

const TEXT = "import a;\n\nfunction first(x) {\n  return x + 1;\n}\n\nfunction second(x) {\n  return x * 2;\n}\n";

test("other spaces and a wrong word still lead to the place", () => {
  const region = findClosestRegion(TEXT, "\nfunction second(y) {\n\treturn y * 2;\n}\n");
  expect(region).toMatchObject({ firstLine: 7, lastLine: 9, text: "function second(x) {\n  return x * 2;\n}" });
  expect(region!.similarity).toBeGreaterThanOrEqual(MIN_SIMILARITY);
});

test("the same lines with other spaces are all the same", () => {
  expect(findClosestRegion(TEXT, "return  x+1;")).toMatchObject({ firstLine: 4, lastLine: 4, similarity: 1 });
});

test("the first of equally good places is taken", () => {
  expect(findClosestRegion("abcdefgh\nother\nabcdefgh\n", "abcdefgX")).toMatchObject({ firstLine: 1 });
});

test("nothing is close enough", () => {
  expect(findClosestRegion(TEXT, "class Third {}")).toBeUndefined();
  expect(findClosestRegion("", "x")).toBeUndefined();
  expect(findClosestRegion(" \n\n", " ")).toBeUndefined();
});

test("more lines than the file has", () => {
  expect(findClosestRegion("alpha\nbeta", "alpha\nbeta\n\nx\n")).toMatchObject({ firstLine: 1, lastLine: 2 });
});

test("part of the lines at the beginning of the file is not the whole", () => {
  expect(findClosestRegion(`alphabetical order\n${"#".repeat(200)}\n`, "alphabetical order\nx")).toBeUndefined();
});

test("too much text is not searched", () => {
  expect(findClosestRegion("needle here\n".repeat(400_000), "needle herx")).toBeUndefined();
});
