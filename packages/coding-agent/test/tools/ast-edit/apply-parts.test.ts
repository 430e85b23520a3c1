import { afterEach, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { rejection } from "../../../../ai/test/support/rejection.ts";
import type { ChangeSelection } from "../../../src/previews/pending-action.ts";
import { AstWorkspace } from "../../support/tools/ast/ast-workspace.ts";

let open: AstWorkspace[] = [];

afterEach(async () => {
  await Promise.all(open.map((each) => each[Symbol.asyncDispose]()));
  open = [];
});

const OPS = [{ pat: "log($A)", out: "info($A)" }];
const A = "log(1)\nkeep()\nlog(2)\n";
const B = "log(3)\n";

async function staged(files: Record<string, string> = { "a.ts": A, "b.ts": B }) {
  const at = new AstWorkspace(files);
  open.push(at);
  await at.edit({ ops: OPS });
  const action = at.staged[0]!;
  const ids = new Map(action.changes!.map(({ path, hunks = [] }) => [path, hunks.map(({ hunkId }) => hunkId)]));
  const apply = (parts: Partial<ChangeSelection>) =>
    action.applyHunks!({ files: [], hunks: [], edits: [], ...parts }, "because");
  return { at, action, ids, apply };
}

describe("a selection", () => {
  test("writes the chosen hunks and leaves everything else", async () => {
    const { at, ids, apply } = await staged();
    const [, second] = ids.get("a.ts")!;
    expect(await apply({ hunks: [second!] })).toMatchObject({ details: { applied: true } });
    expect([at.read("a.ts"), at.read("b.ts")]).toEqual(["log(1)\nkeep()\ninfo(2)\n", B]);
  });

  test("combines whole files, hunks and edits", async () => {
    const files = { "a.ts": A, "b.ts": B, "c.ts": "log(4)\n", "d.ts": "log(5)\n" };
    const { at, ids, apply } = await staged(files);
    await apply({
      files: ["b.ts"],
      hunks: [ids.get("a.ts")![0]!],
      edits: [{ path: "c.ts", content: "mine(4)\r\nno newline" }],
    });
    expect(["a.ts", "b.ts", "c.ts", "d.ts"].map((name) => at.read(name))).toEqual([
      "info(1)\nkeep()\nlog(2)\n",
      "info(3)\n",
      "mine(4)\r\nno newline",
      "log(5)\n",
    ]);
  });

  test("keeps a byte order mark and line endings", async () => {
    const { at, ids, apply } = await staged({ "a.ts": "\uFEFFlog(1)\r\nkeep()\r\nlog(2)" });
    await apply({ hunks: [ids.get("a.ts")![1]!] });
    expect(at.read("a.ts")).toBe("\uFEFFlog(1)\r\nkeep()\r\ninfo(2)");
  });

  test("is refused as a whole if one of its files has changed, and works again once that is undone", async () => {
    const { at, ids, apply } = await staged();
    const selection = { files: ["b.ts"], hunks: [ids.get("a.ts")![0]!] };
    writeFileSync(at.path("a.ts"), `${A}// changed\n`);
    const error = await rejection(apply(selection));
    expect(error).toMatchObject({ code: "conflict", message: expect.stringContaining("a.ts") });
    expect([at.read("a.ts"), at.read("b.ts")]).toEqual([`${A}// changed\n`, B]);
    writeFileSync(at.path("a.ts"), A);
    await apply(selection);
    expect([at.read("a.ts"), at.read("b.ts")]).toEqual(["info(1)\nkeep()\nlog(2)\n", "info(3)\n"]);
  });

  test("does not depend on files that it discards", async () => {
    const { at, ids, apply } = await staged();
    writeFileSync(at.path("b.ts"), "changed()\n");
    await apply({ hunks: [ids.get("a.ts")![0]!] });
    expect([at.read("a.ts"), at.read("b.ts")]).toEqual(["info(1)\nkeep()\nlog(2)\n", "changed()\n"]);
  });
});

test("the proposed text of a file is what an apply would write", async () => {
  const { at, action } = await staged();
  expect(await action.proposedText!("a.ts")).toBe("info(1)\nkeep()\ninfo(2)\n");
  writeFileSync(at.path("a.ts"), "log(1)\n");
  expect(await rejection(action.proposedText!("a.ts"))).toMatchObject({ code: "conflict" });
});
