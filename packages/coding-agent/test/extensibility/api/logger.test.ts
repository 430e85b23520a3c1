import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchDirectory } from "../../../../../test/support/scratch-directory.mjs";
import { createLogger, MAX_LOG_BYTES } from "../../../src/extensibility/api/logger.ts";

function readLines(home: string, name = "pintle.log"): Record<string, unknown>[] {
  return readFileSync(join(home, "logs", name), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

describe("the log", () => {
  test("has one object per line and is readable only by the user", () => {
    using scratch = scratchDirectory();
    const { debug, info, warn, error } = createLogger(scratch.path);
    debug("one\ntwo");
    info("with data", { a: [1] });
    warn("nothing", undefined);
    error("failed", new Error("because"));
    const lines = readLines(scratch.path);
    expect(lines.map(({ level, message }) => [level, message])).toEqual([
      ["debug", "one\ntwo"],
      ["info", "with data"],
      ["warn", "nothing"],
      ["error", "failed"],
    ]);
    expect(lines[1]!.meta).toEqual({ a: [1] });
    expect(lines[3]!.meta).toContain("because");
    expect(statSync(join(scratch.path, "logs/pintle.log")).mode & 0o777).toBe(0o600);
    expect(statSync(join(scratch.path, "logs")).mode & 0o777).toBe(0o700);
  });

  test("accepts any data, but limits its length", () => {
    using scratch = scratchDirectory();
    const { info } = createLogger(scratch.path);
    const circle: Record<string, unknown> = {};
    circle.circle = circle;
    info("circle", circle);
    info("function", () => 1);
    info("big", "x".repeat(1e6));
    info("y".repeat(1e6));
    info({
      toString() {
        throw new Error("no");
      },
    } as never);
    expect(readLines(scratch.path).map(({ meta }) => typeof meta)).toEqual(["string", "string", "string", "undefined"]);
    expect(statSync(join(scratch.path, "logs/pintle.log")).size).toBeLessThan(20_000);
  });

  test("keeps one older file and loses no line during rotation", () => {
    using scratch = scratchDirectory();
    const { info } = createLogger(scratch.path);
    info("first");
    const file = join(scratch.path, "logs/pintle.log");
    writeFileSync(file, `${"{}\n".repeat(MAX_LOG_BYTES / 3)}`);
    info("next");
    info("after");
    expect(readLines(scratch.path).map(({ message }) => message)).toEqual(["next", "after"]);
    expect(readdirSync(join(scratch.path, "logs")).sort()).toEqual(["pintle.log", "pintle.log.1"]);
    expect(statSync(`${file}.1`).size).toBeGreaterThan(MAX_LOG_BYTES - 3);
  });

  test("does not fail if it cannot be written, and is recreated if removed", () => {
    using scratch = scratchDirectory();
    writeFileSync(join(scratch.path, "file"), "");
    createLogger(join(scratch.path, "file")).info("lost");
    const { info } = createLogger(scratch.path);
    info("one");
    rmSync(join(scratch.path, "logs"), { recursive: true });
    info("two");
    expect(readLines(scratch.path).map(({ message }) => message)).toEqual(["two"]);
  });
});
