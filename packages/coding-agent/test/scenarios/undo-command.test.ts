import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Finished, runProgram } from "../support/program.ts";
import { startRpc } from "../support/scenarios/rpc-child.ts";
import { machine, readSession, sessionFiles } from "../support/scenarios/stored-sessions.ts";

// Tests `pintle undo` on sessions that `pintle -p` has stored, all with the built program. The offline model makes the calls
// that the prompts name.

const OFFLINE = ["--model", "pintle/offline", "--permissions", "full"];
const write = (path: string, content: string) => `call write ${JSON.stringify({ path, content })}`;
const edit = (path: string, oldText: string, newText: string) =>
  `call edit ${JSON.stringify({ path, edits: [{ oldText, newText }] })}`;
const bash = (command: string) => `call bash ${JSON.stringify({ command })}`;

function stage() {
  const scratch = machine();
  // The home directory is never a workspace.
  const place = { ...scratch, cwd: join(scratch.cwd, "work") };
  mkdirSync(place.cwd);
  const at = (name: string) => join(place.cwd, name);
  const undo = (...args: string[]): Promise<Finished> => runProgram(["undo", ...args], place);
  return {
    place,
    undo,
    async answer(prompt: string, ...flags: string[]) {
      const { code, stderr } = await runProgram([...OFFLINE, ...flags, "-p", prompt], place);
      expect([code, stderr]).toEqual([0, expect.stringContaining("session ")]);
    },
    json: async (...args: string[]) => JSON.parse((await undo("--json", ...args)).stdout),
    put: (name: string, content: string) => writeFileSync(at(name), content),
    text: (name: string) => (existsSync(at(name)) ? readFileSync(at(name), "utf8") : undefined),
    at,
    [Symbol.dispose]: () => scratch[Symbol.dispose](),
  };
}

const done = (stdout: string) => ({ code: 0, stdout, stderr: "" });
const refused = (stderr: string) => ({ code: 1, stdout: "", stderr: `pintle: ${stderr}\n` });

describe("pintle undo", () => {
  test("takes back one more run with each call, and brings them back", async () => {
    using on = stage();
    on.put("b.txt", "two\n");
    await on.answer(write("a.txt", "one\n"));
    await on.answer(bash("rm b.txt; printf 'x\\ny\\n' >> a.txt"), "--continue");

    expect((await on.undo("--list")).stdout.split("\n")).toEqual([
      expect.stringMatching(/^checkpoint +age +files +lines +message$/),
      expect.stringMatching(/^cp_\w+ +\S.* 2 +\+2 −1 +call bash/),
      expect.stringMatching(/^cp_\w+ +\S.* 1 +\+1 −0 +call write/),
      "",
    ]);
    const rows = "  modified  a.txt  +0 −2\n  added     b.txt  +1 −0\n";
    expect(await on.undo("--dry-run")).toEqual(done(`Would undo the changes in 2 files:\n${rows}`));
    expect([on.text("a.txt"), on.text("b.txt")]).toEqual(["one\nx\ny\n", undefined]);

    expect(await on.undo()).toEqual(done(`Undid the changes in 2 files:\n${rows}`));
    expect([on.text("a.txt"), on.text("b.txt")]).toEqual(["one\n", "two\n"]);
    expect(await on.undo()).toEqual(done("Undid the changes in 1 file:\n  deleted  a.txt  +0 −1\n"));
    expect(on.text("a.txt")).toBeUndefined();
    expect(await on.undo()).toEqual(refused("Nothing to undo"));

    expect(await on.undo("--redo")).toEqual(done("Redid the changes in 1 file:\n  added  a.txt  +1 −0\n"));
    expect((await on.undo("--redo")).code).toBe(0);
    expect([on.text("a.txt"), on.text("b.txt")]).toEqual(["one\nx\ny\n", undefined]);
    expect(await on.undo("--redo")).toEqual(refused("Nothing to redo"));
  });

  test("goes back to a checkpoint or a message, and takes single files", async () => {
    using on = stage();
    await on.answer([write("a.txt", "one\n"), write("b.txt", "one\n")].join("\n"));
    await on.answer(write("a.txt", "two\n"), "--continue");
    const [second, first] = (await on.json("--list")).checkpoints;
    expect(await on.json("--to", first.checkpointId, "--files", "b.txt")).toEqual({
      rewindId: expect.stringMatching(/^rw_/),
      dryRun: false,
      canRewind: true,
      files: [{ path: "b.txt", status: "deleted", added: 0, removed: 1, binary: false }],
      conflicts: [],
      warnings: [],
    });
    expect([on.text("a.txt"), on.text("b.txt")]).toEqual(["two\n", undefined]);
    expect((await on.undo("--to", second.entryId)).code).toBe(0);
    expect(on.text("a.txt")).toBe("one\n");

    expect(await on.undo("--to", "cp_none")).toEqual(refused("No checkpoint or entry to rewind to: cp_none"));
    for (const path of ["none.txt", "../b.txt"])
      expect(await on.undo("--to", first.checkpointId, "--files", `a.txt,${path}`)).toEqual(
        refused(`No change of the session in ${path}`),
      );
    expect(on.text("a.txt")).toBe("one\n");
  });

  test("never overwrites what others have changed: it names the files, the reasons and the choices", async () => {
    using on = stage();
    const body = Array.from({ length: 10 }, (_, index) => `line ${index}\n`).join("");
    on.put("a.txt", body);
    await on.answer([edit("a.txt", "line 1", "LINE 1"), write("b.txt", "b\n"), write("c.txt", "c\n")].join("\n"));
    on.put("a.txt", `${on.text("a.txt")}mine\n`);
    on.put("b.txt", "mine\n");

    const refusal = await on.undo();
    expect(refusal).toEqual(
      refused(
        [
          "nothing was changed, because of 2 files:",
          "  a.txt was edited after the run",
          "  b.txt was edited after the run",
          "Choose how to handle them:",
          "  --on-conflict skip       leave these files as they are",
          "  --on-conflict merge      keep the other edits where they do not overlap",
          "  --on-conflict keep_both  keep the current content as a copy next to the file",
        ].join("\n"),
      ),
    );
    const conflicts = [
      { path: "a.txt", kind: "foreign_edit" },
      { path: "b.txt", kind: "foreign_edit" },
    ];
    expect(await on.json()).toMatchObject({
      dryRun: true,
      canRewind: false,
      conflicts: expect.arrayContaining(conflicts),
    });
    const unmerged = await on.undo("--on-conflict", "merge");
    expect([unmerged.code, unmerged.stderr.includes("a.txt"), unmerged.stderr.includes("--on-conflict merge")]).toEqual(
      [1, false, false],
    );
    expect([on.text("b.txt"), on.text("c.txt")]).toEqual(["mine\n", "c\n"]);

    expect(await on.undo("--files", "a.txt", "--on-conflict", "merge")).toMatchObject({ code: 0 });
    expect(on.text("a.txt")).toBe(`${body}mine\n`);
    expect(await on.undo("--on-conflict", "skip")).toEqual(
      done(
        "Undid the changes in 1 file:\n  deleted  c.txt  +0 −1\nLeft as they are:\n  b.txt was edited after the run\n",
      ),
    );
    expect(await on.undo("--redo")).toMatchObject({ code: 0 });
    expect(await on.undo("--on-conflict", "keep_both")).toEqual(
      done(
        "Undid the changes in 2 files:\n  deleted  b.txt  +0 −1\n  deleted  c.txt  +0 −1\n" +
          "The other content of b.txt is in b.txt.before-rewind.\n",
      ),
    );
    expect([on.text("b.txt"), on.text("b.txt.before-rewind")]).toEqual([undefined, "mine\n"]);
  });

  test("works on the newest session of the directory, or on the one that is named", async () => {
    using on = stage();
    expect(await on.undo()).toEqual(refused("No session in this directory; --session names one of another"));
    await on.answer(write("a.txt", "one\n"), "--name", "First");
    await on.answer(write("b.txt", "one\n"));
    expect((await on.undo()).stdout).toContain("b.txt");
    expect((await runProgram(["undo", "--session", "first"], { ...on.place, cwd: on.place.root })).stdout).toContain(
      "a.txt",
    );
    expect([on.text("a.txt"), on.text("b.txt")]).toEqual([undefined, undefined]);
    await on.answer("hello");
    expect(await on.undo()).toEqual(refused("Nothing to undo"));
    expect(await on.undo("--list")).toEqual({
      code: 0,
      stdout: "",
      stderr: expect.stringMatching(/^pintle: no run of session \S+ changed files\n$/),
    });
    expect(await on.json("--list")).toEqual({ checkpoints: [] });
  });

  test("refuses a session that is open elsewhere, and tells the model of one that is continued", async () => {
    using on = stage();
    await on.answer(write("a.txt", "one\n"));
    const [file = ""] = sessionFiles(on.place.sessionDir);
    {
      await using rpc = await startRpc([...OFFLINE, "--session", file], on.place);
      await rpc.call("get_state");
      for (const flags of [[], ["--list"], ["--dry-run"]])
        expect(await on.undo(...flags)).toEqual({
          code: 1,
          stdout: "",
          stderr: expect.stringMatching(/^pintle: Session is in use by another process \(pid \d+\)\n$/),
        });
    }
    expect(on.text("a.txt")).toBe("one\n");
    expect((await on.undo()).code).toBe(0);
    await on.answer("hello", "--session", readSession(file).id);
    const told = readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line.includes('"files-rewound"'));
    expect(told.map((line) => JSON.parse(line).details.paths)).toEqual([["a.txt"]]);
  });

  test("runs no extension", async () => {
    using on = stage();
    const ran = on.at("ran");
    const folder = join(on.place.env.PINTLE_HOME ?? "", "extensions");
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, "mark.ts"),
      `import { writeFileSync } from "node:fs";\nexport default () => writeFileSync(${JSON.stringify(ran)}, "");\n`,
    );
    await on.answer(write("a.txt", "one\n"), "--no-extensions");
    expect((await on.undo()).code).toBe(0);
    expect(existsSync(ran)).toBe(false);
    await on.answer("hello");
    expect(existsSync(ran)).toBe(true);
  });

  test("names the setting that turns it off", async () => {
    using on = stage();
    await on.answer(write("a.txt", "one\n"));
    writeFileSync(join(on.place.env.PINTLE_HOME ?? "", "settings.json"), '{"checkpoints": {"coverage": "off"}}');
    expect(await on.undo()).toEqual(refused("Checkpoints are turned off by the setting checkpoints.coverage"));
    expect(on.text("a.txt")).toBe("one\n");
  });

  test("refuses a session whose directory is gone", async () => {
    using on = stage();
    await on.answer(write("a.txt", "one\n"), "--name", "Gone");
    const stored = sessionFiles(on.place.sessionDir)[0] ?? "";
    writeFileSync(stored, readFileSync(stored, "utf8").replace(on.place.cwd, join(on.place.root, "gone")));
    const { code, stderr } = await on.undo("--session", stored);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/gone cannot be entered\.\n$/)]);
  });

  test.each<[string[], string]>([
    [["a.txt"], "pintle undo takes no arguments; --files names files"],
    [["--on-conflict", "force"], '--on-conflict must be one of refuse, skip, merge, keep_both, not "force"'],
    [["--files", "a.txt,"], "--files takes paths, separated by commas"],
    [["--redo", "--to", "cp_1"], "--redo does not go with --to"],
    [["--list", "--dry-run"], "--list does not go with --dry-run"],
    [["--fils", "a"], "unknown option --fils (did you mean --files?)"],
  ])("%j is a usage error", async (args, message) => {
    using on = stage();
    expect(await on.undo(...args)).toEqual({
      code: 2,
      stdout: "",
      stderr: `pintle: ${message}\nTry: pintle undo --help\n`,
    });
  });
});
