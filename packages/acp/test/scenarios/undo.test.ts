import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ClientCapabilities } from "@agentclientprotocol/sdk";
import { machine } from "../../../coding-agent/test/support/scenarios/stored-sessions.ts";
import { AcpEditor } from "../support/acp-editor.ts";

// The offline model makes the calls that the prompts name.

const args = ["--model", "pintle/offline", "--permissions", "full"];
const READS: ClientCapabilities = { fs: { readTextFile: true, writeTextFile: false } };
const write = (path: string, content: string) => `call write ${JSON.stringify({ path, content })}`;
const edit = (path: string, oldText: string, newText: string) =>
  `call edit ${JSON.stringify({ path, edits: [{ oldText, newText }] })}`;

async function stage(capabilities: ClientCapabilities = {}) {
  const scratch = machine();
  const cwd = join(scratch.cwd, "work"); // the home directory is never a workspace
  mkdirSync(cwd);
  const files = new Map<string, string>();
  const editor = await AcpEditor.start({ ...scratch, cwd, args, capabilities, files });
  const { sessionId } = await editor.open();
  let count = 0;
  return {
    editor,
    sessionId,
    files,
    at: (name: string) => join(cwd, name),
    put: (name: string, content: string) => writeFileSync(join(cwd, name), content),
    has: (name: string) => existsSync(join(cwd, name)),
    text: (name: string) => readFileSync(join(cwd, name), "utf8"),
    call: (command: string, fields: object = {}) =>
      editor.ask({ id: `undo_${++count}`, method: `_pintle/${command}`, params: { sessionId, ...fields } }),
    /** Resolves with what the prompt added to the conversation. */
    async say(prompt: string): Promise<string> {
      const before = editor.text().length;
      expect(await editor.prompt(sessionId, prompt)).toBe("end_turn");
      return editor.text().slice(before);
    },
    async [Symbol.asyncDispose]() {
      await editor[Symbol.asyncDispose]();
      scratch[Symbol.dispose]();
    },
  };
}

test("the methods are announced, show changes, and rewind and redo them", async () => {
  await using on = await stage();
  expect(on.editor.initialized.agentCapabilities?._meta).toEqual({
    "pintle/methods": ["_pintle/get_changes", "_pintle/rewind_files", "_pintle/redo_files"],
  });
  on.put("a.txt", "one\n");
  await on.say(`${edit("a.txt", "one", "two")}\n${write("b.txt", "new\n")}`);
  const changes = await on.call("get_changes", { since: "session", _meta: {} });
  expect(changes.result).toMatchObject({
    coverage: "workspace",
    files: [
      { path: "a.txt", status: "modified", hunks: [{ lines: ["-one", "+two"] }] },
      { path: "b.txt", status: "added" },
    ],
  });
  expect((await on.call("rewind_files", { dryRun: true })).result).toMatchObject({ dryRun: true, canRewind: true });
  expect(on.has("b.txt")).toBe(true);
  const { result } = await on.call("rewind_files", { files: ["b.txt"] });
  expect(result).toMatchObject({ rewindId: expect.any(String), files: [{ path: "b.txt", status: "deleted" }] });
  expect({ a: on.text("a.txt"), b: on.has("b.txt") }).toEqual({ a: "two\n", b: false });
  expect((await on.call("redo_files")).result).toMatchObject({ files: [{ path: "b.txt", status: "added" }] });
  expect(on.text("b.txt")).toBe("new\n");
});

test("errors have the code and the text of the protocol", async () => {
  await using on = await stage();
  expect((await on.call("rewind_files")).error).toEqual({
    code: -32002,
    message: "Nothing to undo",
    data: { code: "not_found" },
  });
  expect((await on.call("redo_files", { onConflict: "never" })).error).toMatchObject({
    code: -32602,
    data: { code: "invalid_request" },
  });
  expect((await on.call("get_changes", { sessionId: "none" })).error).toMatchObject({ code: -32002 });
  await on.say(write("a.txt", "one\n"));
  on.put("a.txt", "mine\n");
  expect((await on.call("rewind_files")).error).toEqual({
    code: -32603,
    message: "Cannot rewind a.txt: it was edited after the run. Choose onConflict skip, merge or keep_both.",
    data: { code: "conflict" },
  });
  expect(on.text("a.txt")).toBe("mine\n");
});

test("/diff, /undo and /redo are commands of the editor and name the files", async () => {
  await using on = await stage();
  await on.editor.until(() => on.editor.updatesOf("available_commands_update").length > 0, "the commands");
  const { availableCommands } = on.editor.updatesOf("available_commands_update").at(-1)!;
  expect(availableCommands.map(({ name }) => name)).toEqual(expect.arrayContaining(["diff", "undo", "redo"]));
  expect(await on.say("/undo")).toBe("Nothing to undo\n");
  expect(on.editor.updatesOf("session_info_update")).toEqual([]); // a command is no title
  on.put("a.md", "one\n");
  await on.say(edit("a.md", "one", "```\\n"));
  await on.say(write("b`.txt", "two\n"));
  expect(await on.say("/diff session")).toBe(
    [
      "The session changed 2 files.",
      "",
      "- `a.md` modified, +1 −1",
      "- ``b`.txt`` added, +1 −0",
      "",
      "````diff",
      "+++ b/a.md",
      "@@ -1,1 +1,1 @@",
      "-one",
      "+```\\n",
      "+++ b/b`.txt",
      "@@ -0,0 +1,1 @@",
      "+two",
      "````",
      "",
    ].join("\n"),
  );
  expect(await on.say("/diff everything")).toContain("Use `/diff turn`");
  expect(await on.say("/undo the last thing")).toContain("Use `/undo`");
  expect(await on.say("/undo refuse")).toContain("Use `/undo`");
  expect(await on.say("/undo 3")).toBe("Cannot undo 3 runs: runs of this session that changed files: 2.\n");
  expect(await on.say("/undo")).toBe("Undid the changes in 1 file:\n\n- ``b`.txt``\n");
  expect(on.has("b`.txt")).toBe(false);
  expect(await on.say("/redo")).toBe("Redid the changes in 1 file:\n\n- ``b`.txt``\n");
  expect(await on.say("/undo 2")).toContain("Undid the changes in 2 files:");
  expect({ a: on.text("a.md"), b: on.has("b`.txt") }).toEqual({ a: "one\n", b: false });
});

test("/undo lists conflicts and the choices, and does what was chosen", async () => {
  await using on = await stage();
  await on.say(`${write("a.txt", "one\n")}\n${write("b.txt", "two\n")}`);
  on.put("a.txt", "mine\n");
  const listed = await on.say("/undo");
  expect(listed).toContain("No file was changed, because of conflicts:\n\n- `a.txt`: edited since");
  for (const choice of ["skip", "merge", "keep_both"]) expect(listed).toContain(`\`/undo ${choice}\``);
  const unmerged = await on.say("/undo merge");
  expect(unmerged).toContain("- `a.txt`: edited since");
  expect(unmerged).not.toContain("`/undo merge`");
  expect({ a: on.text("a.txt"), b: on.text("b.txt") }).toEqual({ a: "mine\n", b: "two\n" });
  const skipped = await on.say("/undo skip");
  expect(skipped).toStartWith("Undid the changes in 1 file:\n\n- `b.txt`\n\nLeft as they are:\n\n- `a.txt`:");
  expect({ a: on.text("a.txt"), b: on.has("b.txt") }).toEqual({ a: "mine\n", b: false });
  await on.say("/redo");
  expect(await on.say("/undo 1 keep_both")).toContain("The other content is in:\n\n- `a.txt.before-rewind`");
  expect({ a: on.has("a.txt"), copy: on.text("a.txt.before-rewind") }).toEqual({ a: false, copy: "mine\n" });
});

test("a file with unsaved text in the editor is not rewound, whatever was chosen", async () => {
  await using on = await stage(READS);
  on.put("a.txt", "one\n");
  await on.say(`${edit("a.txt", "one", "two")}\n${write("b.txt", "new\n")}`);
  on.files.set(on.at("a.txt"), "two, and not saved\n");
  const message = "Cannot rewind a.txt: it has unsaved changes in the editor. Save or discard them, then try again.";
  for (const onConflict of ["refuse", "skip", "merge", "keep_both"]) {
    expect((await on.call("rewind_files", { onConflict })).error).toMatchObject({
      message,
      data: { code: "conflict" },
    });
  }
  expect((await on.call("rewind_files", { dryRun: true })).result).toMatchObject({
    canRewind: false,
    files: [{ path: "b.txt" }],
    conflicts: [{ path: "a.txt", kind: "foreign_edit" }],
  });
  expect(await on.say("/undo")).toBe(`${message}\n`);
  expect({ a: on.text("a.txt"), b: on.text("b.txt") }).toEqual({ a: "two\n", b: "new\n" });
  expect((await on.call("rewind_files", { files: ["b.txt"] })).result).toMatchObject({ files: [{ path: "b.txt" }] });
  on.files.set(on.at("a.txt"), "\uFEFFtwo\r\n"); // the saved text, as an editor may return it
  expect(await on.say("/undo")).toContain("- `a.txt`");
  expect(on.text("a.txt")).toBe("one\n");
  on.files.set(on.at("a.txt"), "typed\n");
  expect((await on.call("redo_files")).error).toMatchObject({
    message: expect.stringContaining("Cannot redo a.txt"),
    data: { code: "conflict" },
  });
  expect(on.text("a.txt")).toBe("one\n");
});

test("unsaved text is found in a project that was opened through a link", async () => {
  await using on = await stage(READS);
  const link = on.at("../linked");
  symlinkSync(on.at("."), link);
  const { sessionId } = await on.editor.open({ cwd: link });
  await on.editor.prompt(sessionId, write("a.txt", "one\n"));
  on.files.set(join(link, "a.txt"), "typed\n");
  expect((await on.call("rewind_files", { sessionId })).error).toMatchObject({ data: { code: "conflict" } });
  expect(on.text("a.txt")).toBe("one\n");
});

test("a write that the editor has not saved is no change of the disk", async () => {
  await using on = await stage({ fs: { readTextFile: true, writeTextFile: true } });
  await on.say(write("a.txt", "one\n"));
  expect(on.files.get(on.at("a.txt"))).toBe("one\n");
  expect((await on.call("get_changes")).result).toMatchObject({ files: [] });
  expect(await on.say("/undo")).toBe("Nothing to undo\n");
});

test("a rewind during a run is refused, and /undo waits for the run", async () => {
  await using on = await stage();
  const running = on.editor.prompt(
    on.sessionId,
    `call bash ${JSON.stringify({ command: "echo 1 > a.txt; until [ -e go ]; do sleep 0.05; done" })}`,
  );
  await on.editor.until(
    () => on.editor.updatesOf("tool_call_update").some(({ status }) => status === "in_progress"),
    "the command",
  );
  const undone = on.editor.prompt(on.sessionId, "/undo");
  expect((await on.call("rewind_files")).error).toMatchObject({ code: -32603, data: { code: "busy" } });
  on.put("go", "");
  expect(await running).toBe("end_turn");
  expect(await undone).toBe("end_turn");
  expect(on.editor.text()).toContain("`a.txt`");
});
