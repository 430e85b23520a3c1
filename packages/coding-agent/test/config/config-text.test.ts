import { describe, expect, test } from "bun:test";
import { readConfigText } from "../../src/config/config-text.ts";
import { ModelsFile } from "../../src/config/models/models-file.ts";
import { tempHome } from "../support/config/temp-home.ts";

describe("does not read anything but configuration", () => {
  test("a named pipe, which would block forever", () => {
    using home = tempHome();
    expect(Bun.spawnSync(["mkfifo", home.path("models.json")]).exitCode).toBe(0);
    expect(readConfigText(home.path("models.json"))).toEqual({ problem: "is not a file" });
    const problems: string[] = [];
    expect(new ModelsFile(home.path("models.json"), (text) => problems.push(text)).read().size).toBe(0);
    expect(problems).toEqual([`${home.path("models.json")}: is not a file`]);
  });

  test.each([
    ["a device", "/dev/zero", "is not a file"],
    ["a directory", "/", "is not a file"],
    ["something below a file", "/dev/null/models.json", "cannot be read (ENOTDIR)"],
  ])("%s", (_what, path, problem) => {
    expect(readConfigText(path)).toEqual({ problem });
  });

  test.each([
    ["more than a mebibyte", " ".repeat(1024 * 1024 + 1), "is larger than 1024 KiB and is not read"],
    ["bytes that are no text", Buffer.from([0x7b, 0xff, 0x7d]), "is not UTF-8 text"],
  ])("%s", async (_what, content, problem) => {
    using home = tempHome();
    await Bun.write(home.path("models.json"), content);
    expect(readConfigText(home.path("models.json"))).toEqual({ problem });
  });
});

test("a missing file returns undefined", () => {
  using home = tempHome();
  expect(readConfigText(home.path("models.json"))).toBeUndefined();
});

test("reads a mebibyte, without its byte order mark", async () => {
  using home = tempHome();
  const text = `"${"x".repeat(1024 * 1024 - 5)}"`;
  await Bun.write(home.path("models.json"), `\uFEFF${text}`);
  expect(readConfigText(home.path("models.json"))).toMatchObject({ text });
});
