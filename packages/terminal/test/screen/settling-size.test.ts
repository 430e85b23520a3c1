import { expect, test } from "bun:test";
import { SettlingSize } from "../../src/screen/settling-size.ts";

test("a window is drawn at once when it is first seen, and again when its size has stayed the same", async () => {
  let told = 0;
  const settled = Promise.withResolvers<void>();
  const size = new SettlingSize(20, () => {
    told += 1;
    settled.resolve();
  });
  expect(size.isSettled(80, 24)).toBe(true);
  expect(size.isSettled(70, 24)).toBe(false);
  expect(size.isSettled(60, 24)).toBe(false);
  expect(size.isSettled(60, 24)).toBe(false);
  await settled.promise;
  expect(size.isSettled(60, 24)).toBe(true);
  expect(size.isSettled(60, 30)).toBe(false);
  expect(told).toBe(1);
});
