import { expect, test } from "bun:test";
import { SettlingSize } from "../../src/screen/inline-screen.ts";

test("draws the first size at once, and later sizes when they are stable", async () => {
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
