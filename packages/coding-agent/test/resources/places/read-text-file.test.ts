import { describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { readTextFile } from "../../../src/resources/places/read-text-file.ts";
import { projectFolder } from "../../support/trust/project-folder.ts";

describe("readTextFile", () => {
  test("returns the text and its real path", () => {
    using folder = projectFolder({ "a.md": "\uFEFFä\r\nb" });
    const link = folder.link("link.md", "a.md");
    const expected = { realPath: folder.at("a.md"), text: "ä\nb", bytes: 8, isCut: false };
    expect(readTextFile(link, { maxBytes: 8, within: folder.cwd })).toEqual(expected);
  });

  test("stops at the limit, but not inside a character", () => {
    using folder = projectFolder({ "a.md": "xää" });
    expect(readTextFile(folder.at("a.md"), { maxBytes: 4 })).toMatchObject({ text: "xä", bytes: 5, isCut: true });
    expect(readTextFile(folder.at("a.md"), { maxBytes: 5 })).toMatchObject({ text: "xää", isCut: false });
  });

  test("does not leave its directory", () => {
    using folder = projectFolder();
    const secret = folder.write("../secret", "key");
    const link = folder.link("AGENTS.md", "../secret");
    const problem = "links outside the project and is not used without your consent";
    expect(readTextFile(link, { maxBytes: 10, within: folder.cwd })).toEqual({ problem });
    expect(readTextFile(link, { maxBytes: 10 })).toMatchObject({ text: "key", realPath: secret });
  });

  test("handles missing files, and things that are not files", () => {
    using folder = projectFolder({ file: "" });
    mkdirSync(folder.at("folder"));
    Bun.spawnSync(["mkfifo", folder.at("pipe")]);
    folder.link("nowhere", "gone");
    folder.link("circle", "circle");
    const read = (name: string) => readTextFile(folder.at(name), { maxBytes: 10 });
    expect(["gone", "nowhere", "file/x", "folder", "pipe", "circle"].map(read)).toEqual([
      undefined,
      undefined,
      undefined,
      { problem: "is not a file" },
      { problem: "is not a file" },
      { problem: "cannot be read (ELOOP)" },
    ]);
  });
});
