import { describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { CHAT, callsTools, chatPlace, says } from "../support/scenarios/chat-server.ts";
import { type Frame, type RpcChild, startRpc } from "../support/scenarios/rpc-child.ts";
import { machine, sessionFiles } from "../support/scenarios/stored-sessions.ts";

// Tests undo over the wire, with the built program. The offline model makes the calls that the prompts name.

const OFFLINE = ["--model", "pintle/offline", "--permissions", "full"];
const call = (name: string, args: object) => `call ${name} ${JSON.stringify(args)}`;
const bash = (command: string, more: object = {}) => call("bash", { command, ...more });
const write = (path: string, content: string) => call("write", { path, content });
const edit = (path: string, oldText: string, newText: string) => call("edit", { path, edits: [{ oldText, newText }] });
const ofType = (frames: Frame[], type: string) => frames.filter((frame) => frame.type === type);

async function stage(flags: string[] = []) {
  const scratch = machine();
  // The home directory is never a workspace.
  const place = { ...scratch, cwd: join(scratch.cwd, "work") };
  mkdirSync(place.cwd);
  const at = (name: string) => join(place.cwd, name);
  return {
    place,
    start: (more: string[] = []): Promise<RpcChild> => startRpc([...OFFLINE, ...flags, ...more], place),
    put: (name: string, content: string | Uint8Array) => {
      mkdirSync(join(at(name), ".."), { recursive: true });
      writeFileSync(at(name), content);
    },
    has: (name: string) => existsSync(at(name)),
    text: (name: string) => readFileSync(at(name), "utf8"),
    at,
    [Symbol.dispose]: () => scratch[Symbol.dispose](),
  };
}

const TEN = Array.from({ length: 10 }, (_, index) => `line ${index}\n`).join("");

describe("changes of a run", () => {
  test("are reported once made, and rewound and redone as a whole", async () => {
    using on = await stage();
    on.put("a.txt", "one\n");
    on.put("gone.txt", "two\n");
    on.put("data.bin", new Uint8Array([0, 255, 1]));
    await using rpc = await on.start();
    await rpc.prompt(
      [
        write("new.txt", "new\n"),
        edit("a.txt", "one", "ONE"),
        bash("rm gone.txt; printf '\\001' > data.bin; mkdir -p d; echo x > d/y"),
      ].join("\n"),
    );
    const [created, ...others] = ofType(rpc.frames, "checkpoint_created");
    expect(others).toEqual([]);
    expect(created).toMatchObject({ coverage: "workspace" });
    const changed = ofType(rpc.frames, "files_changed");
    expect(changed.map(({ files }) => files.map((file: Frame) => `${file.status} ${file.path}`).sort())).toEqual([
      ["added new.txt"],
      ["modified a.txt"],
      ["added d/y", "deleted gone.txt", "modified data.bin"],
    ]);
    const types = rpc.frames.map(({ type }) => type);
    expect(types.indexOf("checkpoint_created")).toBeLessThan(types.indexOf("files_changed"));
    expect(types.lastIndexOf("files_changed")).toBeLessThan(types.lastIndexOf("turn_end"));

    const changes = (await rpc.call("get_changes")).data;
    expect(changes).toMatchObject({ coverage: "workspace", warnings: [] });
    expect(changes.files.map(({ path, status, sources }: Frame) => [path, status, sources])).toEqual([
      ["a.txt", "modified", ["edit"]],
      ["d/y", "added", ["bash"]],
      ["data.bin", "modified", ["bash"]],
      ["gone.txt", "deleted", ["bash"]],
      ["new.txt", "added", ["write"]],
    ]);
    expect(changes.files[0].hunks[0].lines).toEqual(["-one", "+ONE"]);

    const dry = (await rpc.call("rewind_files", { dryRun: true })).data;
    expect(dry).toMatchObject({ dryRun: true, canRewind: true, conflicts: [] });
    expect(on.text("a.txt")).toBe("ONE\n");

    const state = async () => (await rpc.call("get_state", { brief: true })).data.undo;
    expect(await state()).toEqual({ coverage: "workspace", checkpoints: 1, canUndo: true, canRedo: false });
    const rewound = (await rpc.call("rewind_files")).data;
    expect(rewound.files).toHaveLength(5);
    expect(on.text("a.txt")).toBe("one\n");
    expect(on.text("gone.txt")).toBe("two\n");
    expect([...readFileSync(on.at("data.bin"))]).toEqual([0, 255, 1]);
    expect([on.has("new.txt"), on.has("d")]).toEqual([false, false]);
    expect(ofType(rpc.frames, "files_rewound")).toMatchObject([{ rewindId: rewound.rewindId, redo: false }]);
    expect(await state()).toMatchObject({ canUndo: false, canRedo: true });
    expect((await rpc.call("get_changes")).data.files).toEqual([]);
    expect(await rpc.call("rewind_files")).toMatchObject({
      success: false,
      code: "not_found",
      error: "Nothing to undo",
    });

    await rpc.call("redo_files");
    expect(on.text("a.txt")).toBe("ONE\n");
    expect(on.text("d/y")).toBe("x\n");
    expect(on.has("gone.txt")).toBe(false);
    expect(await rpc.call("redo_files")).toMatchObject({ success: false, error: "Nothing to redo" });
    expect(await state()).toMatchObject({ canUndo: true, canRedo: false });
  });

  test("are undone run by run, and forgotten by redo after a new run", async () => {
    using on = await stage();
    await using rpc = await on.start();
    for (const text of ["1", "2", "3"]) await rpc.prompt(write("a.txt", text));
    const { checkpoints } = (await rpc.call("get_checkpoints")).data;
    expect(checkpoints).toMatchObject([{ prompt: write("a.txt", "3") }, {}, { files: 1, added: 1, removed: 0 }]);
    await rpc.call("rewind_files");
    await rpc.call("rewind_files");
    expect(on.text("a.txt")).toBe("1");
    await rpc.call("redo_files");
    expect(on.text("a.txt")).toBe("2");
    await rpc.call("rewind_files", { to: checkpoints[2].entryId });
    expect(on.has("a.txt")).toBe(false);
    await rpc.call("redo_files");
    expect(on.text("a.txt")).toBe("2");
    await rpc.prompt(write("b.txt", "b"));
    expect(await rpc.call("redo_files")).toMatchObject({ success: false, error: "Nothing to redo" });
  });

  test("survive a restart", async () => {
    using on = await stage();
    {
      await using rpc = await on.start();
      await rpc.prompt(bash("echo 1 > a.txt"));
      await rpc.end();
    }
    await using rpc = await on.start(["--continue"]);
    expect((await rpc.call("get_state", { brief: true })).data.undo).toMatchObject({ checkpoints: 1, canUndo: true });
    await rpc.call("rewind_files");
    expect(on.has("a.txt")).toBe(false);
    await rpc.call("redo_files");
    expect(on.text("a.txt")).toBe("1\n");
  });

  test("keep modes, links and directories, and never reach below .git", async () => {
    using on = await stage();
    on.put("run.sh", "#!/bin/sh\n");
    chmodSync(on.at("run.sh"), 0o755);
    symlinkSync("run.sh", on.at("link"));
    execFileSync("git", ["init", "-q", on.place.cwd]);
    await using rpc = await on.start();
    await rpc.prompt(bash("chmod 600 run.sh; ln -sfn elsewhere link; mkdir e; ln -s /etc e/out; echo x > .git/HEAD"));
    expect(
      ofType(rpc.frames, "files_changed")[0]
        ?.files.map(({ path }: Frame) => path)
        .sort(),
    ).toEqual(["e/out", "link", "run.sh"]);
    const result = (await rpc.call("rewind_files")).data;
    expect(result.warnings).toEqual(["git_head_moved"]);
    expect(statSync(on.at("run.sh")).mode & 0o777).toBe(0o755);
    expect(readlinkSync(on.at("link"))).toBe("run.sh");
    expect(on.has("e")).toBe(false);
    expect(on.text(".git/HEAD")).toBe("x\n");
  });

  test("leave out ignored files that commands change, except those in checkpoints.include", async () => {
    using on = await stage();
    on.put(".gitignore", "*.log\n.env\n");
    on.put("old.log", "old\n");
    on.put(".env", "A=1\n");
    await using rpc = await on.start();
    await rpc.prompt(`${bash("echo new > old.log; echo A=2 > .env")}\n${write("b.log", "b\n")}`);
    const { files } = (await rpc.call("get_changes")).data;
    expect(files.map(({ path }: Frame) => path)).toEqual([".env", "b.log"]);
    await rpc.prompt(bash("echo > .gitignore"));
    expect((await rpc.call("get_changes")).data.files.map(({ path }: Frame) => path)).toEqual([".gitignore"]);
    await rpc.call("rewind_files");
    await rpc.call("rewind_files");
    expect([on.text("old.log"), on.text(".env"), on.has("b.log")]).toEqual(["new\n", "A=1\n", false]);
  });

  test("do not include those of read-only commands, the user's commands, or other programs between calls", async () => {
    using on = await stage();
    on.put("a.txt", "a\n");
    await using rpc = await on.start();
    await rpc.call("bash", { command: "echo mine > b.txt" });
    await rpc.prompt(bash("cat a.txt"));
    expect(ofType(rpc.frames, "checkpoint_created")).toEqual([]);
    expect(await rpc.call("rewind_files")).toMatchObject({ error: "Nothing to undo" });
  });
});

describe("a foreign edit", () => {
  const conflict = async (onConflict?: string, foreign = TEN.replace("line 9", "theirs")) => {
    const on = await stage();
    on.put("a.txt", TEN);
    const rpc = await on.start();
    await rpc.prompt(edit("a.txt", "line 1", "ours"));
    on.put("a.txt", foreign.replace("line 1", "ours"));
    const answer = await rpc.call("rewind_files", onConflict === undefined ? {} : { onConflict });
    return {
      on,
      rpc,
      answer,
      async [Symbol.asyncDispose]() {
        await rpc[Symbol.asyncDispose]();
        on[Symbol.dispose]();
      },
    };
  };

  test("refuses the rewind and names the file", async () => {
    await using at = await conflict();
    expect(at.answer).toMatchObject({
      success: false,
      code: "conflict",
      error: "Cannot rewind a.txt: it was edited after the run. Choose onConflict skip, merge or keep_both.",
    });
    expect(at.on.text("a.txt")).toContain("ours");
    expect((await at.rpc.call("get_changes")).data.files).toMatchObject([{ path: "a.txt", conflict: "foreign_edit" }]);
    expect((await at.rpc.call("rewind_files", { dryRun: true })).data).toMatchObject({
      canRewind: false,
      conflicts: [{ path: "a.txt", kind: "foreign_edit" }],
    });
  });

  test("is kept by skip", async () => {
    await using at = await conflict("skip");
    expect(at.answer.data).toMatchObject({ files: [], conflicts: [{ path: "a.txt", kind: "foreign_edit" }] });
    expect(at.on.text("a.txt")).toContain("ours");
  });

  test("is kept by merge, also by the redo", async () => {
    await using at = await conflict("merge");
    expect(at.answer.data).toMatchObject({ conflicts: [] });
    expect(at.on.text("a.txt")).toBe(TEN.replace("line 9", "theirs"));
    expect((await at.rpc.call("get_changes")).data.files).toEqual([]);
    await at.rpc.call("redo_files");
    expect(at.on.text("a.txt")).toBe(TEN.replace("line 9", "theirs").replace("line 1", "ours"));
  });

  test("fails the merge as a whole where it overlaps", async () => {
    await using at = await conflict("merge", "line 1 and theirs\n");
    expect(at.answer).toMatchObject({ success: false, code: "conflict" });
    expect(at.on.text("a.txt")).toBe("ours and theirs\n");
  });

  test("is kept under another name by keep_both", async () => {
    await using at = await conflict("keep_both");
    expect(at.answer.data.kept).toEqual([{ path: "a.txt", copy: "a.txt.before-rewind" }]);
    expect(at.on.text("a.txt")).toBe(TEN);
    expect(at.on.text("a.txt.before-rewind")).toBe(TEN.replace("line 9", "theirs").replace("line 1", "ours"));
  });
});

describe("a selection", () => {
  test("reverts single hunks and files", async () => {
    using on = await stage();
    on.put("a.txt", TEN);
    await using rpc = await on.start();
    await rpc.prompt(
      [edit("a.txt", "line 1", "first"), edit("a.txt", "line 8", "second"), write("b.txt", "b")].join("\n"),
    );
    const { files } = (await rpc.call("get_changes")).data;
    const [first, second] = files[0].hunks.map(({ hunkId }: Frame) => hunkId);
    expect((await rpc.call("rewind_files", { hunks: ["h_none"] })).error).toBe("No such hunk: h_none");
    await rpc.call("rewind_files", { hunks: [second] });
    expect(on.text("a.txt")).toBe(TEN.replace("line 1", "first"));
    await rpc.call("redo_files");
    expect(on.text("a.txt")).toBe(TEN.replace("line 1", "first").replace("line 8", "second"));
    await rpc.call("rewind_files", { hunks: [first], files: ["b.txt"] });
    expect(on.text("a.txt")).toBe(TEN.replace("line 8", "second"));
    expect(on.has("b.txt")).toBe(false);
    const left = (await rpc.call("get_changes")).data.files;
    expect(left.map(({ path, hunks }: Frame) => [path, hunks.length])).toEqual([["a.txt", 1]]);
    await rpc.call("rewind_files");
    expect(on.text("a.txt")).toBe(TEN);
  });
});

describe("a move of the conversation with files", () => {
  test("move_leaf reverts files and conversation, and the next model call reports it once", async () => {
    using on = await stage();
    await using rpc = await on.start();
    await rpc.prompt(write("a.txt", "1"));
    await rpc.prompt(write("a.txt", "2"));
    const second = (await rpc.call("get_branch_messages")).data.messages[1].entryId;
    const moved = (await rpc.call("move_leaf", { entryId: second, files: true })).data;
    expect(moved).toMatchObject({ cancelled: false, text: write("a.txt", "2"), files: { files: [{ path: "a.txt" }] } });
    expect(on.text("a.txt")).toBe("1");
    await rpc.prompt("help");
    await rpc.prompt("help");
    const { messages } = (await rpc.call("get_messages")).data;
    const notes = messages.filter(({ customType }: Frame) => customType === "files-rewound");
    expect(notes).toHaveLength(1);
    expect(notes[0]).toMatchObject({ display: false, details: { paths: ["a.txt"] } });
  });

  test("branch reverts the files in the previous session, and the copy can redo", async () => {
    using on = await stage();
    await using rpc = await on.start();
    await rpc.prompt(write("a.txt", "1"));
    await rpc.prompt(write("a.txt", "2"));
    const second = (await rpc.call("get_branch_messages")).data.messages[1].entryId;
    expect((await rpc.call("branch", { entryId: second, files: true })).data).toMatchObject({
      cancelled: false,
      files: { canRewind: true },
    });
    expect(on.text("a.txt")).toBe("1");
    await rpc.call("redo_files");
    expect(on.text("a.txt")).toBe("2");
    await rpc.call("rewind_files");
    expect(on.has("a.txt")).toBe(false);
  });

  test("a conflict leaves the conversation where it is", async () => {
    using on = await stage();
    await using rpc = await on.start();
    await rpc.prompt(write("a.txt", "1"));
    const [first] = (await rpc.call("get_branch_messages")).data.messages;
    on.put("a.txt", "mine");
    const { leafId } = (await rpc.call("get_tree")).data;
    expect(await rpc.call("move_leaf", { entryId: first.entryId, files: true })).toMatchObject({ code: "conflict" });
    expect((await rpc.call("get_tree")).data.leafId).toBe(leafId);
    expect(on.text("a.txt")).toBe("mine");
  });
});

describe("limits", () => {
  test("with coverage off nothing is stored", async () => {
    using on = await stage(["--set", "checkpoints.coverage=off"]);
    await using rpc = await on.start();
    await rpc.prompt(write("a.txt", "1"));
    expect(ofType(rpc.frames, "checkpoint_created")).toEqual([]);
    expect(await rpc.call("rewind_files")).toMatchObject({ code: "not_supported" });
    expect(existsSync(join(on.place.env.PINTLE_HOME as string, "checkpoints"))).toBe(false);
  });

  test("above a limit only file tools are covered, with one notice", async () => {
    using on = await stage(["--set", "checkpoints.maxFiles=2"]);
    for (const name of ["a", "b", "c"]) on.put(name, name);
    await using rpc = await on.start();
    await rpc.prompt(`${bash("echo x > a")}\n${bash("echo y > a")}\n${write("b", "changed")}`);
    expect(ofType(rpc.frames, "notice").filter(({ source }) => source === "checkpoints")).toHaveLength(1);
    expect((await rpc.call("get_state", { brief: true })).data.undo).toMatchObject({
      coverage: "tools",
      reason: "too_many_files",
    });
    expect((await rpc.call("get_changes")).data.files.map(({ path }: Frame) => path)).toEqual(["b"]);
  });

  test("a session in memory leaves nothing behind, and its store is private while it runs", async () => {
    using on = await stage(["--no-session"]);
    await using rpc = await on.start();
    await rpc.prompt(write("a.txt", "1"));
    await rpc.call("rewind_files");
    expect(on.has("a.txt")).toBe(false);
    await rpc.end();
    expect(existsSync(join(on.place.env.PINTLE_HOME as string, "checkpoints"))).toBe(false);
  });

  test("session entries have ids and counts only, and the store is private", async () => {
    using on = await stage();
    await using rpc = await on.start();
    await rpc.prompt(bash("for i in 1 2 3; do echo secret > file-$i; done"));
    await rpc.call("rewind_files");
    const lines = sessionFiles(on.place.sessionDir)
      .flatMap((path) => readFileSync(path, "utf8").trim().split("\n"))
      .map((line) => JSON.parse(line))
      .filter(({ customType = "" }) => customType.startsWith("file-"));
    expect(lines.map(({ customType, data }) => [customType, Object.keys(data).sort()])).toEqual([
      ["file-checkpoint", ["checkpointId", "coverage", "entryId"]],
      ["file-rewind", ["files", "rewindId", "skipped"]],
    ]);
    expect(statSync(join(on.place.env.PINTLE_HOME as string, "checkpoints")).mode & 0o777).toBe(0o700);
  });
});

test("rewind_files fails with busy during a run", async () => {
  using on = await stage();
  await using rpc = await on.start();
  await rpc.prompt(write("a.txt", "1"));
  rpc.send({ id: "p", type: "prompt", message: bash("until [ -e go ]; do sleep 0.02; done") });
  await rpc.until(({ type }) => type === "tool_execution_start");
  expect(await rpc.call("rewind_files")).toMatchObject({ success: false, code: "busy" });
  writeFileSync(on.at("go"), "");
  await rpc.until(({ type }) => type === "agent_settled");
});

test("commands that overlap are compared together", async () => {
  const wait = "until [ -e a ] && [ -e b ]; do sleep 0.02; done";
  const calls = ["a", "b"].map((name) => ({ name: "bash", args: { command: `echo > ${name}; ${wait}` } }));
  await using chat = await chatPlace(callsTools(...calls), says("done"));
  const cwd = join(chat.place.cwd, "work");
  mkdirSync(cwd);
  await using rpc = await startRpc([...CHAT, "--permissions", "full"], { ...chat.place, cwd });
  await rpc.prompt("go");
  const changed = ofType(rpc.frames, "files_changed");
  expect(changed.map(({ files }) => files.map(({ path }: Frame) => path).sort())).toEqual([["a", "b"]]);
  expect(changed[0]).not.toHaveProperty("toolCallId");
});

test("a process that was killed during a command leaves uncertain changes", async () => {
  using on = await stage();
  on.put("a.txt", "1\n");
  {
    await using rpc = await on.start();
    rpc.send({ id: "p", type: "prompt", message: bash("echo 2 > a.txt; echo > ready; sleep 60") });
    await rpc.until(({ type }) => type === "tool_execution_start");
    while (!on.has("ready")) await new Promise((resolve) => setImmediate(resolve));
    await rpc.kill("SIGKILL");
  }
  await using rpc = await on.start(["--continue"]);
  const { files } = (await rpc.call("get_changes")).data;
  expect(files).toMatchObject([
    { path: "a.txt", uncertain: true, conflict: "uncertain" },
    { path: "ready", uncertain: true },
  ]);
  expect(await rpc.call("rewind_files")).toMatchObject({ code: "conflict" });
  await rpc.call("rewind_files", { onConflict: "keep_both" });
  expect(on.text("a.txt")).toBe("1\n");
  expect(on.text("a.txt.before-rewind")).toBe("2\n");
});
