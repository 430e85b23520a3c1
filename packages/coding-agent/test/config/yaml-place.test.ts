import { describe, expect, test } from "bun:test";
import { parseConfigText } from "../../src/config/config-text.ts";

describe("a text that is no YAML is told with the line at which it stops being it", () => {
  test.each<[string, string, number]>([
    ["a tab before a key", "a: 1\nb:\n\tc: 2\n", 3],
    ["a bracket that never closes", "a: 1\nb: [1,\nc: 2\nd: 3\n", 2],
    ["behind brackets over several lines", "a: [\n  1,\n  2\n]\nb: 1\nc: }\nd: 2\n", 6],
    ["on the only line", "retry: [", 1],
    ["on the last of many", `${"a:\n  b: 1\n---\n".repeat(2_000)}x: "open\n`, 6_001],
  ])("%s", (_name, text, line) => {
    expect(parseConfigText(text, "yaml")).toEqual({ problem: `is not valid YAML at line ${line}` });
  });
});
