import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import fs, {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { scratchDirectory } from "../../../../test/support/scratch-directory.mjs";
import { isRoot, NOBODY, sharedTemporary } from "../../../coding-agent/test/support/other-user.ts";
import { repository } from "../../../coding-agent/test/support/program.ts";
import { where } from "../../../coding-agent/test/support/where.ts";
import { replaceFile } from "../../src/files/replace-file.ts";

let scratch: ReturnType<typeof scratchDirectory>;
let root: string;

beforeEach(() => {
  scratch = scratchDirectory(sharedTemporary());
  root = realpathSync(scratch.path);
});

afterEach(() => scratch[Symbol.dispose]());

function at(name: string): string {
  return join(root, name);
}

const NEW = Buffer.from("new");

describe("replaceFile", () => {
  test("creates a file as the system does, or with the mode that is asked for", () => {
    writeFileSync(at("usual"), "");
    expect(replaceFile(at("a"), { content: NEW })).toEqual({ path: at("a"), created: true, bytes: 3 });
    replaceFile(at("b"), { content: [Buffer.from("ne"), Buffer.from("w")], mode: 0o600 });
    expect(readFileSync(at("b"), "utf8")).toBe("new");
    expect(statSync(at("a")).mode).toBe(statSync(at("usual")).mode);
    expect(statSync(at("b")).mode & 0o777).toBe(0o600);
  });

  test("a private file is one whatever there was before, and at no moment anything else", () => {
    writeFileSync(at("old"), "old");
    chmodSync(at("old"), 0o666);
    for (const name of ["old", "new"]) {
      replaceFile(at(name), {
        content: NEW,
        mode: 0o644,
        isPrivate: true,
        beforeRename: () => {
          const [temporary] = readdirSync(at(".")).filter((entry) => entry.endsWith(".tmp"));
          expect(statSync(at(temporary as string)).mode & 0o7777).toBe(0o600);
        },
      });
      expect([statSync(at(name)).mode & 0o7777, readFileSync(at(name), "utf8")]).toEqual([0o600, "new"]);
    }
  });

  test("keeps the mode, also a wider one than new files get", () => {
    writeFileSync(at("a"), "old");
    chmodSync(at("a"), 0o4777);
    expect(replaceFile(at("a"), { content: NEW, mode: 0o600 })).toEqual({ path: at("a"), created: false, bytes: 3 });
    expect(statSync(at("a")).mode & 0o7777).toBe(0o4777);
  });

  where(isRoot, "needs root").test("keeps the owner where the system allows it", () => {
    writeFileSync(at("a"), "old");
    chownSync(at("a"), 1234, 2345);
    replaceFile(at("a"), { content: NEW });
    expect(statSync(at("a"))).toMatchObject({ uid: 1234, gid: 2345 });
  });

  test("rights of an owner do not pass to another one", () => {
    writeFileSync(at("a"), "old");
    chmodSync(at("a"), 0o4755);
    const fchownSync = () => {
      throw Object.assign(new Error("EPERM"), { code: "EPERM", errno: -1 });
    };
    replaceFile(at("a"), { content: NEW, disk: { ...fs, fchownSync } });
    expect(statSync(at("a")).mode & 0o7777).toBe(0o755);
  });

  test("a link stays, also one to a file that does not exist yet", () => {
    mkdirSync(at("real"));
    symlinkSync("real/file", at("link"));
    expect(replaceFile(at("link"), { content: Buffer.from("one") })).toMatchObject({
      path: at("real/file"),
      created: true,
    });
    expect(replaceFile(at("link"), { content: NEW })).toMatchObject({ path: at("real/file"), created: false });
    expect(lstatSync(at("link")).isSymbolicLink()).toBe(true);
    expect(readFileSync(at("real/file"), "utf8")).toBe("new");
  });

  test("only regular files are replaced", () => {
    mkdirSync(at("directory"));
    Bun.spawnSync(["mkfifo", at("pipe")]);
    expect(() => replaceFile(at("directory"), { content: NEW })).toThrow(expect.objectContaining({ code: "EISDIR" }));
    expect(() => replaceFile(at("pipe"), { content: NEW })).toThrow("is not a regular file");
    expect(readdirSync(root).sort()).toEqual(["directory", "pipe"]);
  });

  test("a missing directory is the caller's business", () => {
    expect(() => replaceFile(at("no/file"), { content: NEW })).toThrow(expect.objectContaining({ code: "ENOENT" }));
  });
});

describe("a replacement that fails", () => {
  const steps = ["writeSync", "fchmodSync", "fsyncSync", "renameSync"] as const;

  test.each(steps)("at %s leaves the old file and nothing else", (step) => {
    writeFileSync(at("a"), "old");
    const disk = {
      ...fs,
      [step]: () => {
        throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC", errno: -28 });
      },
    };
    expect(() => replaceFile(at("a"), { content: NEW, fsync: true, disk })).toThrow("ENOSPC");
    expect(readFileSync(at("a"), "utf8")).toBe("old");
    expect(readdirSync(root)).toEqual(["a"]);
  });

  test("because of a late objection leaves the old file and nothing else", () => {
    writeFileSync(at("a"), "old");
    const beforeRename = () => {
      expect(readFileSync(at("a"), "utf8")).toBe("old");
      expect(readdirSync(root)).toHaveLength(2);
      throw new Error("objection");
    };
    expect(() => replaceFile(at("a"), { content: NEW, beforeRename })).toThrow("objection");
    expect(readdirSync(root)).toEqual(["a"]);
  });

  test("because the disk accepts a part at a time continues until everything is written", () => {
    const writeSync = ((fd: number, chunk: Uint8Array, offset: number) =>
      fs.writeSync(fd, chunk, offset, 1)) as typeof fs.writeSync;
    replaceFile(at("a"), { content: Buffer.from("several"), disk: { ...fs, writeSync } });
    expect(readFileSync(at("a"), "utf8")).toBe("several");
  });

  test("because the process is killed before the rename leaves the old content", async () => {
    writeFileSync(at("a"), "old");
    if (isRoot) for (const path of [root, at("a")]) chownSync(path, NOBODY, NOBODY);
    const { signalCode } = await replaceInChild("() => process.kill(process.pid, 'SIGKILL')");
    expect(signalCode).toBe("SIGKILL");
    expect(readFileSync(at("a"), "utf8")).toBe("old");
    expect(readdirSync(root)).toHaveLength(2); // the temporary file shows how far it got
  });
});

describe("without the rights of root", () => {
  beforeEach(() => {
    writeFileSync(at("a"), "old");
    if (isRoot) for (const path of [root, at("a")]) chownSync(path, NOBODY, NOBODY);
  });

  afterEach(() => chmodSync(root, 0o755));

  test("write protection of the file holds although its directory could be written", async () => {
    chmodSync(at("a"), 0o444);
    expect((await replaceInChild()).stderr).toContain("EACCES");
    expect(readFileSync(at("a"), "utf8")).toBe("old");
  });

  test("a read-only directory is refused by the system, the file stays", async () => {
    chmodSync(root, 0o555);
    expect((await replaceInChild()).stderr).toContain("EACCES");
    expect(readFileSync(at("a"), "utf8")).toBe("old");
    expect(readdirSync(root)).toEqual(["a"]);
  });

  test("where nothing forbids it the file is replaced", async () => {
    expect(await replaceInChild()).toMatchObject({ code: 0, stderr: "" });
    expect(readFileSync(at("a"), "utf8")).toBe("new");
  });
});

/** Replaces `a` in a process of an unprivileged user. */
async function replaceInChild(beforeRename = "undefined") {
  const module = join(repository, "packages/foundation/src/files/replace-file.ts");
  const script = `
    const { replaceFile } = await import(${JSON.stringify(module)});
    if (process.getuid() === 0) process.setuid(${NOBODY});
    replaceFile(${JSON.stringify(at("a"))}, { content: Buffer.from("new"), beforeRename: ${beforeRename} });`;
  const child = Bun.spawn([process.execPath, "-e", script], { stdout: "ignore", stderr: "pipe" });
  const stderr = await new Response(child.stderr).text();
  return { code: await child.exited, signalCode: child.signalCode, stderr };
}
