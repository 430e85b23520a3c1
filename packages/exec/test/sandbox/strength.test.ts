import { describe, expect, test } from "bun:test";
import { isEnough, toStrength } from "../../src/sandbox/strength.ts";

const bubblewrap = "/usr/bin/bwrap";

describe("strength", () => {
  test("is full only with all three together, and then nothing is missing", () => {
    expect(toStrength({ bubblewrap, landlock: 1, seccomp: true })).toMatchObject({ level: "full", missing: [] });
    expect(toStrength({ bubblewrap, landlock: 0, seccomp: true })).toMatchObject({
      level: "partial",
      missing: ["named pipes outside can be written to"],
    });
    expect(toStrength({ bubblewrap, landlock: 7, seccomp: false }).level).toBe("partial");
  });

  test("of an older Landlock has a longer list of what is missing", () => {
    const lists = [7, 5, 4, 2].map((landlock) => toStrength({ landlock, seccomp: true }).missing.length);
    expect(lists).toEqual([...lists].sort((a, b) => a - b));
    expect(lists[0]).toBeLessThan(lists.at(-1)!);
  });

  test("is none without anything", () => {
    expect(toStrength({ landlock: 0, seccomp: false }).level).toBe("none");
  });

  test("is enough when it is at least what is asked for", () => {
    const answers = (["full", "partial", "none"] as const).map((level) => [
      isEnough(level, "full"),
      isEnough(level, "partial"),
    ]);
    expect(answers).toEqual([
      [true, true],
      [false, true],
      [false, false],
    ]);
  });
});
