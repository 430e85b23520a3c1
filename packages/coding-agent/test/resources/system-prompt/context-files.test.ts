import { describe, expect, test } from "bun:test";
import { chownSync, mkdirSync } from "node:fs";
import { findContextFiles } from "../../../src/resources/system-prompt/context-files.ts";
import { type ProjectFolder, projectFolder } from "../../support/trust/project-folder.ts";
import { where } from "../../support/where.ts";

const isRoot = process.getuid?.() === 0;

function find(folder: ProjectFolder, cwd = folder.cwd, isTrusted = false) {
  const warnings: string[] = [];
  const warn = (text: string) => void warnings.push(text.replaceAll(`${folder.root}/`, ""));
  const files = findContextFiles({ cwd, home: folder.home, userHome: folder.at("../user"), isTrusted, warn });
  return { files: files.map(({ path, content }) => [path.replace(`${folder.root}/`, ""), content]), warnings };
}

const names = (folder: ProjectFolder, cwd?: string) => find(folder, cwd).files.map(([path]) => path);

describe("which files", () => {
  test("returns the user's file, then those from the repository root down to the directory", () => {
    using folder = projectFolder({
      "~/AGENTS.md": "user",
      "AGENTS.md": "top",
      "a/CLAUDE.md": "middle",
      "a/b/AGENTS.md": "here",
    });
    folder.write("../AGENTS.md", "above the repository");
    mkdirSync(folder.at(".git"));
    expect(find(folder, folder.at("a/b"))).toEqual({
      files: [
        ["home/AGENTS.md", "user"],
        ["project/AGENTS.md", "top"],
        ["project/a/CLAUDE.md", "middle"],
        ["project/a/b/AGENTS.md", "here"],
      ],
      warnings: [],
    });
  });

  test("without a repository, searches up to the root of the file system", () => {
    using folder = projectFolder({ "AGENTS.md": "here" });
    folder.write("../CLAUDE.md", "above");
    expect(names(folder)).toEqual(["CLAUDE.md", "project/AGENTS.md"]);
  });

  test("the file .git of a worktree marks a repository too", () => {
    using folder = projectFolder({ ".git": "gitdir: /x", "AGENTS.md": "here" });
    folder.write("../CLAUDE.md", "above");
    expect(names(folder)).toEqual(["project/AGENTS.md"]);
  });

  test("the first name in a directory wins", () => {
    using folder = projectFolder({ "CLAUDE.md": "2", ".git": "" });
    expect(names(folder)).toEqual(["project/CLAUDE.md"]);
    folder.write("AGENTS.md", "1");
    expect(names(folder)).toEqual(["project/AGENTS.md"]);
  });

  test("returns a file with several names once", () => {
    using folder = projectFolder({ "AGENTS.md": "x", ".git": "" });
    folder.link("a/AGENTS.md", "../AGENTS.md");
    expect(names(folder, folder.at("a"))).toEqual(["project/AGENTS.md"]);
    expect(
      findContextFiles({ cwd: folder.cwd, home: folder.cwd, userHome: "/none", isTrusted: false, warn() {} }),
    ).toHaveLength(1);
  });

  test("`@path` is text like any other", () => {
    using folder = projectFolder({ "AGENTS.md": "@secret.md", "secret.md": "x", ".git": "" });
    expect(find(folder).files).toEqual([["project/AGENTS.md", "@secret.md"]]);
  });

  test("returns none for a missing directory", () => {
    using folder = projectFolder({ "~/AGENTS.md": "user" });
    expect(names(folder, folder.at("gone"))).toContain("home/AGENTS.md");
  });
});

describe("what is not read", () => {
  test("a link out of the project, unless it is trusted", () => {
    using folder = projectFolder({ ".git": "", "CLAUDE.md": "mine" });
    folder.write("../id_rsa", "secret");
    folder.link("AGENTS.md", "../id_rsa");
    expect(find(folder)).toEqual({
      files: [["project/CLAUDE.md", "mine"]],
      warnings: ["project/AGENTS.md: links outside the project and is not used without your consent"],
    });
    expect(find(folder, folder.cwd, true).files).toEqual([["project/AGENTS.md", "secret"]]);
  });

  test("follows a link from one part of a repository to another", () => {
    using folder = projectFolder({ ".git": "", "docs/agents.md": "x" });
    folder.link("a/AGENTS.md", "../docs/agents.md");
    expect(names(folder, folder.at("a"))).toEqual(["project/a/AGENTS.md"]);
  });

  test("warns about a name that is not a file, and uses the next name", () => {
    using folder = projectFolder({ ".git": "", "CLAUDE.md": "x" });
    mkdirSync(folder.at("AGENTS.md"));
    expect(find(folder)).toEqual({
      files: [["project/CLAUDE.md", "x"]],
      warnings: ["project/AGENTS.md: is not a file"],
    });
  });

  where(isRoot, "needs root").test("ignores files of other users above the project", () => {
    using folder = projectFolder({ "AGENTS.md": "here" });
    chownSync(folder.write("../AGENTS.md", "planted"), 4711, 4711);
    expect(find(folder)).toEqual({
      files: [["project/AGENTS.md", "here"]],
      warnings: ["AGENTS.md: belongs to another user and is not used"],
    });
    chownSync(folder.cwd, 4711, 4711);
    expect(names(folder)).toEqual(["AGENTS.md", "project/AGENTS.md"]);
  });
});

describe("how much", () => {
  test("uses 64 KB of a file, with a note", () => {
    using folder = projectFolder({ ".git": "", "AGENTS.md": "x".repeat(100 * 1024) });
    const [[, content] = []] = find(folder).files;
    expect(content).toStartWith("x".repeat(64 * 1024));
    expect(content?.slice(64 * 1024)).toBe(`\n[Cut: 64 of 100 KB are shown. The rest is in ${folder.at("AGENTS.md")}]`);
  });

  test("uses 256 KB in total, and the nearest files keep their text", () => {
    using folder = projectFolder({ ".git": "" });
    const depths = ["", "a/", "a/b/", "a/b/c/", "a/b/c/d/", "a/b/c/d/e/"];
    for (const depth of depths) folder.write(`${depth}AGENTS.md`, "x".repeat(60 * 1024));
    const { files } = find(folder, folder.at("a/b/c/d/e"));
    const lengths = files.map(([, content]) => /^x*/.exec(content as string)?.[0].length);
    expect(lengths).toEqual([0, 16, 60, 60, 60, 60].map((kilobytes) => kilobytes * 1024));
    expect(files[0]?.[1]).toBe(`\n[Cut: 0 of 60 KB are shown. The rest is in ${folder.at("AGENTS.md")}]`);
    expect(files[1]?.[1]).toContain("[Cut: 16 of 60 KB are shown.");
  });

  test("the note names the size of a file that is cut for both reasons", () => {
    using folder = projectFolder({ ".git": "" });
    const depths = ["", "a/", "a/b/", "a/b/c/", "a/b/c/d/"];
    for (const depth of depths) folder.write(`${depth}AGENTS.md`, "x".repeat(100 * 1024));
    const [first] = find(folder, folder.at("a/b/c/d")).files;
    expect(first?.[1]).toMatch(/^\n?\[Cut: 0 of 100 KB are shown\. [^\n]*$/);
  });
});
