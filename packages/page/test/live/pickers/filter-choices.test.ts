import { describe, expect, test } from "bun:test";
import { filterChoices } from "../../../src/live/pickers/filter-choices.ts";
import { sandboxWords } from "../../../src/live/pickers/words.ts";

describe("choices that fit", () => {
  const choices = [
    { id: "acme/large-1", label: "Large 1", detail: "acme/large-1 · thinks" },
    { id: "acme/mini", label: "Mini", detail: "acme/mini" },
    { id: "other/large", label: "A large one" },
  ];
  const found = (query: string) => filterChoices(choices, query).map(({ id }) => id);

  test("are all without a word", () => expect(found("  ")).toHaveLength(3));
  test("contain every word, anywhere", () => expect(found("THINKS acme")).toEqual(["acme/large-1"]));
  test("begin with it, first", () => expect(found("large")).toEqual(["acme/large-1", "other/large"]));
  test("may be none", () => expect(found("nothing")).toEqual([]));
});

test.each([
  [{ mode: "off", strength: "full" } as const, "no sandbox"],
  [{ mode: "workspace-write", strength: "unknown" } as const, "sandbox"],
  [{ mode: "read-only", strength: "partial", missing: ["network"] } as const, "sandbox: partial"],
])("%j is shown as %p", (status, short) => {
  const { short: shown, long } = sandboxWords({ ...status, missing: "missing" in status ? [...status.missing] : [] });
  expect(shown).toBe(short);
  expect(long.includes("network")).toBe("missing" in status);
});
