import { describe, expect, test } from "bun:test";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { grammarViolations } from "@pintle/agent/testing";
import { scratchDirectory } from "../../../../test/support/scratch-directory.mjs";
import { cleanEnvironment, dist, repository, runProgram } from "../support/program.ts";
import { type Frame, type RpcChild, startRpc, textOf } from "../support/scenarios/rpc-child.ts";

const SOURCE = `export function oldName(text: string) {
  return text.trim(); // oldName in a comment
}
console.log(oldName("oldName"));
`;
const RENAMED = `export function newName(text: string) {
  return text.trim(); // oldName in a comment
}
console.log(newName("oldName"));
`;

/** A project and an empty home, so the offline model answers. */
function project() {
  const scratch = scratchDirectory();
  const cwd = join(scratch.path, "project");
  const home = join(scratch.path, "home");
  for (const directory of [join(cwd, "src"), join(home, ".pintle", "tools")]) mkdirSync(directory, { recursive: true });
  const file = join(cwd, "src", "name.ts");
  writeFileSync(file, SOURCE);
  return {
    cwd,
    home,
    env: cleanEnvironment(home),
    content: () => readFileSync(file, "utf8"),
    write: (text: string) => writeFileSync(file, text),
    [Symbol.dispose]: () => scratch[Symbol.dispose](),
  };
}

const isEnd = (toolName: string) => (frame: Frame) =>
  frame.type === "tool_execution_end" && frame.toolName === toolName;
const settled = (frame: Frame) => frame.type === "agent_settled";

async function finish(rpc: RpcChild): Promise<void> {
  expect(await rpc.end()).toBe(0);
  expect(grammarViolations(rpc.frames as never[], { expectSettled: true })).toEqual([]);
}

describe("a copy of dist/ with nothing else around it", () => {
  test.each<[string, string, RegExp]>([
    ["grep", '{"pattern":"oldName"}', /src\/name\.ts/],
    ["find", '{"pattern":"*.ts"}', /src\/name\.ts/],
    ["ast_grep", '{"pat":["oldName($A)"]}', /name\.ts/],
    ["ls", "{}", /src\//],
  ])("%s works", async (tool, args, expected) => {
    using place = project();
    const program = join(place.home, "elsewhere", "pintle");
    cpSync(dist, join(place.home, "elsewhere"), { recursive: true });
    const { stdout, stderr, code } = await runProgram(["-p", `call ${tool} ${args}`], { ...place, command: [program] });
    expect([code, stdout]).toEqual([0, expect.stringMatching(expected)]);
    expect(stderr).not.toContain("error");
  });

  test("ast_edit previews and resolve applies, also for a language from a parser library", async () => {
    using place = project();
    const program = join(place.home, "elsewhere", "pintle");
    cpSync(dist, join(place.home, "elsewhere"), { recursive: true });
    writeFileSync(join(place.cwd, "names.py"), "def oldName():\n    pass\n\noldName()\n");
    const { stdout, code } = await runProgram(["-p", "rename oldName to newName"], { ...place, command: [program] });
    expect([code, stdout]).toEqual([0, expect.stringContaining("Applied 4 replacements in 2 files.")]);
    expect(place.content()).toBe(RENAMED);
    expect(readFileSync(join(place.cwd, "names.py"), "utf8")).toBe("def newName():\n    pass\n\nnewName()\n");
  });
});

describe("a preview decided by the model", () => {
  test("is announced, requested by steering, applied and reported", async () => {
    using place = project();
    await using rpc = await startRpc([], place);
    await rpc.call("prompt", { message: "rename oldName to newName" });
    const added = await rpc.until(({ type }) => type === "pending_action_added");
    expect(added.action).toMatchObject({
      actionId: "pa_1",
      label: "AST Edit: 2 replacements in 1 file",
      sourceToolName: "ast_edit",
    });
    expect(added.action.details.diff).toContain("+export function newName");
    const preview = await rpc.until(isEnd("ast_edit"));
    expect(preview.result.details).toMatchObject({ applied: false, totalReplacements: 2 });
    await rpc.until(({ type, message }) => type === "message_end" && message.customType === "resolve-reminder");
    const resolved = await rpc.until(({ type }) => type === "pending_action_resolved");
    expect(resolved).toMatchObject({ actionId: "pa_1", action: "apply", by: "model", isError: false });
    const outcome = await rpc.until(isEnd("resolve"));
    expect([textOf(outcome), outcome.result.details]).toEqual([
      "Applied 2 replacements in 1 file.",
      expect.objectContaining({ action: "apply", sourceToolName: "ast_edit" }),
    ]);
    await rpc.until(settled);
    expect(place.content()).toBe(RENAMED);
    await finish(rpc);
  });

  test("can be discarded", async () => {
    using place = project();
    await using rpc = await startRpc([], place);
    await rpc.prompt("rename oldName to newName, preview only");
    const resolved = rpc.frames.find(({ type }) => type === "pending_action_resolved");
    expect(resolved).toMatchObject({ action: "discard", by: "model" });
    expect(place.content()).toBe(SOURCE);
    await finish(rpc);
  });
});

describe("a preview decided by the host", () => {
  async function waiting(place: ReturnType<typeof project>, ...args: string[]) {
    const rpc = await startRpc(args, place);
    const { data } = await rpc.call("set_host_capabilities", { resolvePreviews: true });
    expect(data).toMatchObject({ resolvePreviews: true });
    await rpc.call("prompt", { message: "rename oldName to newName" });
    const preview = await rpc.until(({ type }) => type === "tool_execution_update");
    expect(preview.partialResult.details).toMatchObject({ applied: false });
    return rpc;
  }

  test("applies only the selected files, and the model sees which", async () => {
    using place = project();
    writeFileSync(join(place.cwd, "src", "other.ts"), "oldName();\n");
    await using rpc = await waiting(place);
    const [{ files }] = (await rpc.call("get_pending_actions")).data.actions;
    expect(files).toEqual(["src/name.ts", "src/other.ts"]);
    expect(await rpc.call("resolve_pending_action", { action: "apply", files: ["src/none.ts"] })).toMatchObject({
      success: false,
      code: "invalid_request",
      error: expect.stringContaining('has no file "src/none.ts"'),
    });
    const { data } = await rpc.call("resolve_pending_action", { action: "apply", files: ["src/other.ts"] });
    const text = "Applied 1 replacement in 1 file: src/other.ts. Discarded, and left as they were: src/name.ts.";
    expect(data).toMatchObject({ action: "apply", isError: false, text });
    expect(textOf(await rpc.until(isEnd("ast_edit")))).toContain(text);
    await rpc.until(settled);
    expect(place.content()).toBe(SOURCE);
    expect(readFileSync(join(place.cwd, "src", "other.ts"), "utf8")).toBe("newName();\n");
    await finish(rpc);
  });

  test("by hunk and with an edited file: the files, the response, the event and the model agree", async () => {
    using place = project();
    const other = join(place.cwd, "src", "other.ts");
    writeFileSync(other, "oldName();\n");
    writeFileSync(join(place.cwd, "src", "third.ts"), "oldName();\n");
    await using rpc = await waiting(place);
    const [{ changes }] = (await rpc.call("get_pending_actions")).data.actions;
    const [hunk, second] = changes[0].hunks.map(({ hunkId }: Frame) => hunkId);
    expect(changes.map(({ path }: Frame) => path)).toEqual(["src/name.ts", "src/other.ts", "src/third.ts"]);
    const decide = (fields: object) => rpc.call("resolve_pending_action", { action: "apply", ...fields });
    expect(await decide({ hunks: ["h_none"] })).toMatchObject({
      success: false,
      code: "not_found",
      error: expect.stringContaining("h_none"),
    });
    const edits = [{ path: "src/other.ts", content: "newName(); // mine\n" }];
    expect(await decide({ files: ["src/other.ts"], edits })).toMatchObject({ success: false, code: "invalid_request" });
    place.write(`${SOURCE}// changed meanwhile\n`);
    expect(await decide({ hunks: [second], edits })).toMatchObject({ success: false, code: "conflict" });
    expect(readFileSync(other, "utf8")).toBe("oldName();\n");
    place.write(SOURCE);
    expect((await rpc.call("get_pending_file", { path: "src/other.ts" })).data).toEqual({
      actionId: "pa_1",
      path: "src/other.ts",
      content: "newName();\n",
    });

    const decided = {
      applied: { files: ["src/other.ts"], hunks: [second] },
      discarded: { files: ["src/third.ts"], hunks: [hunk] },
      edited: ["src/other.ts"],
    };
    expect((await decide({ hunks: [second], edits })).data).toMatchObject({ isError: false, ...decided });
    const resolved = rpc.frames.find(({ type }) => type === "pending_action_resolved");
    expect(resolved).toMatchObject({ action: "apply", by: "host", ...decided });
    const outcome = textOf(await rpc.until(isEnd("ast_edit")));
    expect(outcome).toContain("Applied: src/name.ts:4, src/other.ts (edited, see below)");
    expect(outcome).toContain("Discarded, and not in the files: src/name.ts:1 (lines before the change), src/third.ts");
    expect(outcome).toContain("-export function oldName");
    expect(outcome).toContain("-newName();\n+newName(); // mine");
    await rpc.until(settled);
    expect([place.content(), readFileSync(other, "utf8")]).toEqual([
      SOURCE.replace('oldName("', 'newName("'),
      "newName(); // mine\n",
    ]);
    await finish(rpc);
  });

  test("waits, is listed with its deadline, and its outcome is the result of the call", async () => {
    using place = project();
    await using rpc = await waiting(place);
    const { data: waits } = await rpc.call("get_pending");
    expect(waits.pending).toMatchObject([{ kind: "preview", id: "pa_1", default: "the change is discarded" }]);
    const { data: actions } = await rpc.call("get_pending_actions");
    expect(actions.actions).toMatchObject([{ actionId: "pa_1", deadline: waits.pending[0].deadline }]);
    expect((await rpc.call("get_state")).data.isStreaming).toBe(true);

    const answer = await rpc.call("resolve_pending_action", { actionId: "pa_1", action: "apply" });
    expect(answer.data).toMatchObject({
      actionId: "pa_1",
      action: "apply",
      text: "Applied 2 replacements in 1 file.",
      isError: false,
    });
    const outcome = await rpc.until(isEnd("ast_edit"));
    // The result does not contradict itself: earlier statements about the preview are removed.
    expect(textOf(outcome)).toContain("Applied 2 replacements in 1 file.");
    expect(textOf(outcome)).toContain("newName");
    expect(textOf(outcome)).not.toMatch(/nothing written|resolve/i);
    expect(outcome.result.details.resolution).toMatchObject([
      { actionId: "pa_1", action: "apply", reason: "Applied by the host", by: "host" },
    ]);
    await rpc.until(settled);
    expect(place.content()).toBe(RENAMED);
    // The order on the wire: the decision, the response, then the call continues.
    const order = rpc.frames.flatMap(({ type, command, toolName }) => {
      if (type === "pending_action_resolved") return ["resolved"];
      if (command === "resolve_pending_action") return ["answer"];
      return type === "tool_execution_end" && toolName === "ast_edit" ? ["end"] : [];
    });
    expect(order).toEqual(["resolved", "answer", "end"]);
    expect((await rpc.call("get_pending")).data.pending).toEqual([]);
    await finish(rpc);
  });

  test("is discarded without an answer, and the run continues", async () => {
    using place = project();
    await using rpc = await waiting(place, "--set", "resolve.timeoutMs=1000");
    const resolved = await rpc.until(({ type }) => type === "pending_action_resolved");
    expect(resolved).toMatchObject({ action: "discard", by: "timeout", reason: "No decision from the host" });
    await rpc.until(settled);
    expect(place.content()).toBe(SOURCE);
    await finish(rpc);
  });

  test("an abort ends the run without applying", async () => {
    using place = project();
    await using rpc = await waiting(place);
    await rpc.call("abort");
    const resolved = rpc.frames.find(({ type }) => type === "pending_action_resolved");
    expect(resolved).toMatchObject({ action: "discard", by: "abort", reason: "Request was aborted" });
    expect(place.content()).toBe(SOURCE);
    await finish(rpc);
  });

  test("is discarded when the host disconnects, and the program ends", async () => {
    using place = project();
    await using rpc = await waiting(place);
    await finish(rpc);
    expect(place.content()).toBe(SOURCE);
  });

  test("does not overwrite a file that has changed in the meantime", async () => {
    using place = project();
    await using rpc = await waiting(place);
    place.write(`${SOURCE}// somebody else was here\n`);
    const { data } = await rpc.call("resolve_pending_action", { action: "apply" });
    expect(data.isError).toBe(true);
    expect(data.text).toStartWith("Preview is stale: 1 file changed since the preview (src/name.ts).");
    await rpc.until(settled);
    expect(place.content()).toBe(`${SOURCE}// somebody else was here\n`);
    await finish(rpc);
  });

  test("is discarded when the session changes", async () => {
    using place = project();
    await using rpc = await waiting(place);
    await rpc.call("new_session");
    expect(rpc.frames.find(({ type }) => type === "pending_action_resolved")).toMatchObject({ action: "discard" });
    expect((await rpc.call("get_pending_actions")).data.actions).toEqual([]);
    expect(place.content()).toBe(SOURCE);
    await finish(rpc);
  });
});

test("fails with an ordinary error if it cannot be decided", async () => {
  using place = project();
  await using rpc = await startRpc([], place);
  expect(await rpc.call("resolve_pending_action", { action: "apply" })).toMatchObject({
    success: false,
    error: "No pending action to resolve. Nothing to apply or discard.",
    code: "not_found",
  });
  expect((await rpc.call("resolve_pending_action", { action: "apply", actionId: "pa_7" })).error).toBe(
    "Pending action not found: pa_7",
  );
  expect((await rpc.call("resolve_pending_action", { action: "keep" })).error).toBe(
    "Invalid resolve_pending_action: action must be one of apply, discard",
  );
  expect((await rpc.call("resolve_pending_action", { action: "apply", hunks: [] })).error).toBe(
    "Invalid resolve_pending_action: hunks must be a list of at least one hunk",
  );
  await finish(rpc);
});

test("a custom tool applies hunks, and keeps its change pending if it rejects them", async () => {
  using place = project();
  const tool = `
    import { compareFiles } from "pintle";
    import { readFileSync, writeFileSync } from "node:fs";
    export default (pi) => ({
      name: "twice", label: "Twice", description: "Stages a change", deferrable: true,
      parameters: pi.typebox.Type.Object({}),
      async execute() {
        const before = "one\\ntwo\\nthree\\n";
        const staged = await compareFiles([{ path: "t.txt", before, after: "ONE\\ntwo\\nTHREE\\n" }], "twice");
        pi.pushPendingAction({
          label: "Twice", changes: staged.changes, apply: async () => ({ content: [] }),
          async applyHunks(selection) {
            if (readFileSync("t.txt", "utf8") !== before) throw Object.assign(new Error("t.txt has changed"), { code: "conflict" });
            for (const { path, content } of staged.select(selection)) writeFileSync(path, content);
            return { content: [] };
          },
        });
        return { content: [{ type: "text", text: "staged" }] };
      },
    });`;
  writeFileSync(join(place.home, ".pintle", "tools", "twice.ts"), tool);
  const file = join(place.cwd, "t.txt");
  writeFileSync(file, "one\ntwo\nthree\n");
  await using rpc = await startRpc([], place);
  await rpc.call("set_host_capabilities", { resolvePreviews: true });
  await rpc.call("prompt", { message: "call twice {}" });
  const { action } = await rpc.until(({ type }) => type === "pending_action_added");
  const [, last] = action.changes[0].hunks.map(({ hunkId }: Frame) => hunkId);
  expect((await rpc.call("get_pending_file", { path: "t.txt" })).data.content).toBe("ONE\ntwo\nTHREE\n");
  writeFileSync(file, "other\n");
  expect(await rpc.call("resolve_pending_action", { action: "apply", hunks: [last] })).toMatchObject({
    success: false,
    code: "conflict",
    error: "t.txt has changed",
  });
  writeFileSync(file, "one\ntwo\nthree\n");
  const { data } = await rpc.call("resolve_pending_action", { action: "apply", hunks: [last] });
  expect(data.applied).toEqual({ files: [], hunks: [last] });
  expect(readFileSync(file, "utf8")).toBe("one\ntwo\nTHREE\n");
  expect(textOf(await rpc.until(isEnd("twice")))).toContain("Applied: t.txt:3");
  await rpc.until(settled);
  await finish(rpc);
});

describe("custom tools in the built program", () => {
  const TOOL = `
    import { Type } from "@sinclair/typebox";
    export default (pi) => ({
      name: "stamp",
      label: "Stamp",
      description: "Stages a stamp",
      parameters: Type.Object({ text: Type.String() }),
      async execute(id, params, onUpdate, ctx, signal) {
        console.log("a stray line");
        pi.pushPendingAction({
          label: "Stamp " + params.text,
          apply: async (reason) => ({ content: [{ type: "text", text: "stamped " + params.text }] }),
        });
        return { content: [{ type: "text", text: "would stamp in " + ctx.cwd }] };
      },
    });`;

  test("one in the user's folder is offered and called, and its preview is resolved", async () => {
    using place = project();
    writeFileSync(join(place.home, ".pintle", "tools", "stamp.ts"), TOOL);
    await using rpc = await startRpc([], place);
    await rpc.prompt('call stamp {"text":"x"}');
    expect(textOf(rpc.frames.find(isEnd("stamp"))!)).toBe(`would stamp in ${place.cwd}`);
    expect(rpc.frames.find(({ type }) => type === "pending_action_resolved")).toMatchObject({ text: "stamped x" });
    await finish(rpc);
  });

  test("the project's tools are listed and not run", async () => {
    using place = project();
    mkdirSync(join(place.cwd, ".pintle", "tools"), { recursive: true });
    writeFileSync(join(place.cwd, ".pintle", "tools", "evil.ts"), `require("fs").writeFileSync("owned", "1");`);
    await using rpc = await startRpc([], place);
    expect(rpc.frames[0]).toMatchObject({ type: "ready", trust: "withheld" });
    const notice = await rpc.until(({ type, source }) => type === "notice" && source === "trust");
    expect(notice.message).toStartWith("1 item of this project was withheld");
    await rpc.prompt("list");
    expect(await Bun.file(join(place.cwd, "owned")).exists()).toBe(false);
    await finish(rpc);
  });

  test("one that cannot be loaded is reported and the others work; a path on the command line counts as consent", async () => {
    using place = project();
    writeFileSync(join(place.cwd, "stamp.ts"), TOOL);
    writeFileSync(join(place.home, ".pintle", "tools", "broken.ts"), "throw new Error('no luck')");
    await using rpc = await startRpc(["--custom-tool", "stamp.ts"], place);
    const fault = await rpc.until(({ type }) => type === "extension_error");
    expect(fault).toMatchObject({ event: "load", error: expect.stringContaining("no luck") });
    expect((await rpc.call("get_state")).data.dumpTools.map((tool: Frame) => tool.name)).toContain("stamp");
    await finish(rpc);
  });
});

describe("the tools offered to the model", () => {
  test.each<[string[], string[]]>([
    [
      ["--tools", "read,grep"],
      ["grep", "read"],
    ],
    [["--no-tools"], []],
    [["--no-builtin-tools"], []],
    [["--tools", "ask"], ["ask"]],
    [
      ["--tools", "ast_edit"],
      ["ast_edit", "resolve"],
    ],
    [
      [],
      [
        "ast_edit",
        "ast_grep",
        "bash",
        "edit",
        "find",
        "grep",
        "ls",
        "read",
        "task",
        "todo_write",
        "write",
        "call_late_tool",
        "resolve",
      ],
    ],
  ])("%j", async (args, names) => {
    using place = project();
    await using rpc = await startRpc(args, place);
    const { data } = await rpc.call("get_state");
    expect(data.dumpTools.map((tool: Frame) => tool.name)).toEqual(names);
    await finish(rpc);
  });

  test("an unknown name is a warning", async () => {
    using place = project();
    await using rpc = await startRpc(["--tools", "read,fly"], place);
    await finish(rpc);
    expect(await rpc.stderr()).toContain('there is no tool "fly"');
  });

  test("the ask tool reaches a host that answers questions", async () => {
    using place = project();
    await using rpc = await startRpc([], place);
    await rpc.call("set_host_capabilities", { ui: true });
    const questions = [{ id: "color", question: "Which color?", options: [{ label: "red" }, { label: "blue" }] }];
    await rpc.call("prompt", { message: `call ask ${JSON.stringify({ questions })}` });
    const request = await rpc.until(({ type }) => type === "extension_ui_request");
    expect(request).toMatchObject({ method: "select", title: "Which color?" });
    expect(request.options.slice(0, 2)).toEqual(["red", "blue"]);
    rpc.send({ type: "extension_ui_response", id: request.id, value: "blue" });
    expect(textOf(await rpc.until(isEnd("ask")))).toBe("color: blue");
    await rpc.until(settled);
    await finish(rpc);
  });
});

describe("examples/custom-tools", () => {
  test("replace-in-files.ts previews its change and applies it", async () => {
    using place = project();
    writeFileSync(join(place.cwd, "notes.txt"), "colour and colour\n");
    const example = join(repository, "examples/custom-tools/replace-in-files.ts");
    const prompt = 'call replace_in_files {"from":"colour","to":"color","files":["notes.txt"]}';
    const { code, stdout } = await runProgram(["--custom-tool", example, "-p", prompt], place);
    expect([code, stdout]).toEqual([0, expect.stringContaining("Replaced in notes.txt.")]);
    expect(readFileSync(join(place.cwd, "notes.txt"), "utf8")).toBe("color and color\n");
  });
});

describe("a file that is overwritten", () => {
  const overwrite = `call write {"path":"src/name.ts","content":"new"}`;
  const ask = async (rpc: RpcChild, message: string, tool: string) => {
    const before = rpc.frames.length;
    await rpc.call("prompt", { message });
    await rpc.until((frame) => settled(frame) && rpc.frames.indexOf(frame) >= before);
    return textOf(rpc.frames.slice(before).find(isEnd(tool))!);
  };

  test("without having been read causes a warning, also in a resumed session", async () => {
    using place = project();
    {
      await using rpc = await startRpc(["--session-id", "s1"], place);
      expect(await ask(rpc, overwrite, "write")).toBe(
        "Overwrote src/name.ts (3 bytes)\n[Warning: the file existed and was not read before; its 4 lines are gone.]",
      );
      expect(await ask(rpc, overwrite, "write")).toBe("Overwrote src/name.ts (3 bytes)");
      await finish(rpc);
    }
    await using rpc = await startRpc(["--session-id", "s1"], place);
    expect(await ask(rpc, overwrite, "write")).toBe("Overwrote src/name.ts (3 bytes)");
    await rpc.call("new_session");
    expect(await ask(rpc, overwrite, "write")).toContain("was not read before; its 1 line is gone");
    await finish(rpc);
  });
});
