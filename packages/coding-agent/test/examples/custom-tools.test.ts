import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../support/program.ts";
import { CHAT, callsTools, chatPlace, says } from "../support/scenarios/chat-server.ts";
import { type Frame, startRpc, textOf } from "../support/scenarios/rpc-child.ts";
import { machine } from "../support/scenarios/stored-sessions.ts";

// Tests examples/custom-tools and the code on their page, used as the page describes.

const example = (path: string) => join(repository, "examples", path);

describe("custom tools", () => {
  test("json-value.ts", async () => {
    using place = machine();
    writeFileSync(join(place.cwd, "a.json"), JSON.stringify({ list: [{ name: "x" }], other: 1 }));
    await using rpc = await startRpc(["--custom-tool", example("custom-tools/json-value.ts")], place);
    const rows: [path: string, isError: boolean, text: string][] = [
      ["list.0.name", false, '"x"'],
      ["", false, '[\n  "list",\n  "other"\n]'],
      ["list.7", true, "There is no 7 in list.7"],
      ["constructor", true, "There is no constructor in constructor"],
    ];
    for (const [path, isError, text] of rows) {
      await rpc.prompt(`call json_value ${JSON.stringify({ file: "a.json", path })}`);
      const end = rpc.frames.findLast(({ type }) => type === "tool_execution_end") as Frame;
      expect([end.isError, textOf(end)]).toEqual([isError, text]);
    }
  });

  test("replace-in-files.ts previews, and the host decides", async () => {
    await using chat = await chatPlace(
      callsTools({ name: "replace_in_files", args: { from: "colour", to: "color", files: ["notes.txt"] } }),
      says("staged"),
    );
    const file = join(chat.place.cwd, "notes.txt");
    writeFileSync(file, "my colour");
    const args = [...CHAT, "--custom-tool", example("custom-tools/replace-in-files.ts")];
    await using rpc = await startRpc(args, chat.place);
    await rpc.call("set_host_capabilities", { resolvePreviews: true });
    await rpc.call("prompt", { message: "go" });
    const { action } = await rpc.until(({ type }) => type === "pending_action_added");
    expect([action.label, readFileSync(file, "utf8")]).toEqual(['Replace "colour" in 1 file(s)', "my colour"]);
    rpc.send({ type: "resolve_pending_action", actionId: action.actionId, action: "apply" });
    await rpc.until(({ type }) => type === "agent_settled");
    expect(readFileSync(file, "utf8")).toBe("my color");
  });
});
