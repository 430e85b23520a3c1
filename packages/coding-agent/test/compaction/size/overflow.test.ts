import { expect, test } from "bun:test";
import type { ProviderFailure } from "@pintle/ai";
import { isOverflow } from "../../../src/compaction/size/overflow.ts";
import { MODEL } from "../../support/compaction/bench.ts";
import { answer } from "../../support/compaction/messages.ts";

const failed = (errorMessage: string) => ({ ...answer("", { stopReason: "error" }), errorMessage });
const check = (failure: ProviderFailure | undefined, errorMessage = "it failed", isFull = false) =>
  isOverflow(
    { message: failed(errorMessage), toolResults: [], state: "failed", ...(failure && { failure }) },
    MODEL,
    () => isFull,
  );

test("the provider says so", () => {
  expect(check({ kind: "overflow" })).toBe(true);
});

test("only the text says so", () => {
  expect(check(undefined, "prompt is too long: 250000 tokens > 200000 maximum")).toBe(true);
  expect(check({ kind: "server" }, "input exceeds the context window")).toBe(true);
  expect(check({ kind: "invalid_request" }, "no such parameter")).toBe(false);
});

test("a rate limit is not an overflow", () => {
  expect(check({ kind: "rate_limit" }, "too many tokens")).toBe(false);
  expect(check(undefined, "too many tokens per minute")).toBe(false);
});

test("too many bytes are too many tokens only when the conversation is long", () => {
  expect(check({ kind: "too_large" }, "request_too_large", true)).toBe(true);
  expect(check({ kind: "too_large" }, "request_too_large", false)).toBe(false);
});

test("an error of another model is ignored", () => {
  const message = { ...failed("prompt is too long"), model: "another" };
  expect(
    isOverflow({ message, toolResults: [], state: "failed", failure: { kind: "overflow" } }, MODEL, () => true),
  ).toBe(false);
});

test("an answer that did not fail is not an overflow", () => {
  const message = answer("prompt is too long");
  expect(isOverflow({ message, toolResults: [], state: "stops" }, MODEL, () => true)).toBe(false);
});
