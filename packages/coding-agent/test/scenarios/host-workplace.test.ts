import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CHAT, type ChatPlace, callsTools, chatPlace, says } from "../support/scenarios/chat-server.ts";
import { type Frame, type RpcChild, startRpc, textOf } from "../support/scenarios/rpc-child.ts";

const isEnd = ({ type }: Frame) => type === "tool_execution_end";

async function editorAt(chat: ChatPlace, declared: object, ...args: string[]): Promise<RpcChild> {
  const rpc = await startRpc([...CHAT, ...args], chat.place);
  expect((await rpc.call("set_host_capabilities", declared)).data).toMatchObject(declared);
  await rpc.call("prompt", { message: "go" });
  return rpc;
}

const fsRequest = (rpc: RpcChild) => rpc.until(({ type }) => type === "host_fs_request");

describe("a host that provides files", () => {
  test("returns unsaved content, and edits are made in the host, not on disk", async () => {
    const edits = [{ oldText: "unsaved", newText: "edited" }];
    await using chat = await chatPlace(
      callsTools({ name: "read", args: { path: "a.txt" } }),
      callsTools({ name: "edit", args: { path: "a.txt", edits } }),
      says("done"),
    );
    const path = join(chat.place.cwd, "a.txt");
    writeFileSync(path, "saved\n");
    await using rpc = await editorAt(chat, { fs: true });
    const read = await fsRequest(rpc);
    expect(read).toMatchObject({ method: "read", path, toolCallId: "call_1" });
    expect((await rpc.call("get_pending")).data.pending).toMatchObject([{ kind: "host_fs", id: read.id, title: path }]);
    rpc.send({ type: "host_fs_result", id: read.id, content: "unsaved\n" });
    expect(textOf(await rpc.until(isEnd))).toContain("unsaved");
    const again = await fsRequest(rpc);
    rpc.send({ type: "host_fs_result", id: again.id, content: "unsaved\n" });
    const write = await fsRequest(rpc);
    expect(write).toMatchObject({ method: "write", path, content: "edited\n" });
    rpc.send({ type: "host_fs_result", id: write.id });
    expect(await rpc.until(isEnd)).toMatchObject({ toolName: "edit", isError: false });
    expect(readFileSync(path, "utf8")).toBe("saved\n");
  });

  test("without the file leaves it to the disk", async () => {
    await using chat = await chatPlace(
      callsTools({ name: "write", args: { path: "new.txt", content: "x\n" } }),
      says("done"),
    );
    await using rpc = await editorAt(chat, { fs: true });
    const write = await fsRequest(rpc);
    expect(write).toMatchObject({ method: "write", content: "x\n" });
    rpc.send({ type: "host_fs_result", id: write.id, notOpen: true });
    expect(await rpc.until(isEnd)).toMatchObject({ isError: false });
    expect(readFileSync(join(chat.place.cwd, "new.txt"), "utf8")).toBe("x\n");
  });

  test("that returns an error or nothing fails the call and changes nothing", async () => {
    const args = { path: "a.txt", content: "lost\n" };
    await using chat = await chatPlace(callsTools({ name: "write", args }, { name: "write", args }), says("done"));
    const path = join(chat.place.cwd, "a.txt");
    writeFileSync(path, "kept\n");
    await using rpc = await editorAt(chat, { fs: true }, "--set", "host.toolTimeoutMs=1000");
    const first = await fsRequest(rpc);
    rpc.send({ type: "host_fs_result", id: first.id, error: "the buffer is read-only" });
    expect(textOf(await rpc.until(isEnd))).toContain("the buffer is read-only");
    const second = await fsRequest(rpc);
    expect(await fsRequest(rpc)).toMatchObject({ method: "cancel", targetId: second.id });
    const end = await rpc.until(isEnd);
    expect([end.isError, textOf(end)]).toEqual([
      true,
      expect.stringContaining("it is unknown whether the file was written"),
    ]);
    // Too late to have an effect.
    rpc.send({ type: "host_fs_result", id: second.id });
    await rpc.until(({ type }) => type === "session_settled");
    expect(readFileSync(path, "utf8")).toBe("kept\n");
  });

  test("receives no request for a file that a rule denies", async () => {
    await using chat = await chatPlace(
      callsTools({ name: "write", args: { path: "no.txt", content: "x" } }),
      says("done"),
    );
    await using rpc = await startRpc(CHAT, chat.place);
    await rpc.call("set_host_capabilities", { fs: true });
    await rpc.call("set_policy", { rules: [{ effect: "deny", path: "no.txt" }] });
    await rpc.prompt("go");
    expect(rpc.frames.filter(({ type }) => type === "host_fs_request")).toEqual([]);
    expect(existsSync(join(chat.place.cwd, "no.txt"))).toBe(false);
  });
});

describe("a host that provides a terminal", () => {
  const command = "echo here > ran.txt";

  test("runs the model's commands, and the model reads their output", async () => {
    await using chat = await chatPlace(callsTools({ name: "bash", args: { command } }), says("done"));
    await using rpc = await editorAt(chat, { terminal: true });
    const request = await rpc.until(({ type }) => type === "host_terminal_request");
    expect(request).toMatchObject({ method: "run", command, cwd: chat.place.cwd, env: {} });
    rpc.send({ type: "host_terminal_result", id: request.id, output: "from the host\n", exitCode: 3 });
    const end = await rpc.until(isEnd);
    expect([end.isError, textOf(end)]).toEqual([true, "from the host\n\nCommand exited with code 3"]);
    expect(existsSync(join(chat.place.cwd, "ran.txt"))).toBe(false);
  });

  test("receives a request to end a command when the run is aborted", async () => {
    await using chat = await chatPlace(callsTools({ name: "bash", args: { command } }), says("done"));
    await using rpc = await editorAt(chat, { terminal: true });
    const request = await rpc.until(({ type }) => type === "host_terminal_request");
    rpc.send({ id: "a", type: "abort" });
    expect(await rpc.until(({ method }) => method === "cancel")).toMatchObject({ targetId: request.id });
    expect(await rpc.until(({ id }) => id === "a")).toMatchObject({ success: true });
  });

  test("does not receive commands that need the sandbox", async () => {
    await using chat = await chatPlace(callsTools({ name: "bash", args: { command: "true" } }), says("done"));
    await using rpc = await editorAt(chat, { terminal: true }, "--set", "sandbox.mode=workspace-write");
    await rpc.until(({ type }) => type === "session_settled");
    expect(rpc.frames.filter(({ type }) => type === "host_terminal_request")).toEqual([]);
  });
});
