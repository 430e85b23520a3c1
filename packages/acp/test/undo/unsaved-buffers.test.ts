import { expect, test } from "bun:test";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rejection } from "../../../ai/test/support/rejection.ts";
import { AcpClient } from "../../src/client/acp-client.ts";
import { readAbilities } from "../../src/client/client-capabilities.ts";
import { RpcPeer } from "../../src/rpc/rpc-peer.ts";
import { unsavedFiles } from "../../src/undo/unsaved-buffers.ts";

/** An editor that answers each read with `read`, or never if that returns "held". */
function place(read: (path: string) => string | undefined) {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "pintle-buffers-")));
  const asked: string[] = [];
  const peer = new RpcPeer({ requests: {}, notifications: {} }, (json) => {
    const { id, method, params } = JSON.parse(json);
    if (method !== "fs/read_text_file") return;
    asked.push(params.path);
    const content = read(params.path);
    if (content === "held") return;
    const outcome = content === undefined ? { error: { code: -32603, message: "not open" } } : { result: { content } };
    queueMicrotask(() => peer.receive(JSON.stringify({ jsonrpc: "2.0", id, ...outcome })));
  });
  const client = new AcpClient("s", peer, readAbilities({ fs: { readTextFile: true } }));
  client.release();
  return {
    asked,
    at: (name: string) => join(cwd, name),
    find: (paths: string[], signal = new AbortController().signal) =>
      unsavedFiles(paths, { client, cwd, roots: [cwd] }, signal),
    [Symbol.dispose]: () => rmSync(cwd, { recursive: true }),
  };
}

test("compares text, and ignores line endings, files that are not open, and bytes that are no UTF-8", async () => {
  const buffers: Record<string, string> = {
    same: "a\nb\n",
    typed: "a\nc\n",
    latin: "caf\uFFFD",
    gone: "",
    kept: "text",
  };
  using on = place((path) => buffers[path.split("/").at(-1)!]);
  writeFileSync(on.at("same"), "\uFEFFa\r\nb\r\n");
  writeFileSync(on.at("typed"), "a\nb\n");
  writeFileSync(on.at("latin"), new Uint8Array([0x63, 0x61, 0x66, 0xe9]));
  writeFileSync(on.at("closed"), "a\n");
  expect(await on.find(["same", "typed", "latin", "closed", "gone", "kept"])).toEqual(["kept", "typed"]);
});

test("does not ask for files outside the session's directories", async () => {
  using on = place(() => "text");
  expect(await on.find(["/etc/none", "../none"])).toEqual([]);
  expect(on.asked).toEqual([]);
});

test("asks for a few files at a time, and ends when the request is cancelled", async () => {
  using on = place(() => "held");
  const controller = new AbortController();
  const names = Array.from({ length: 30 }, (_, index) => `f${index}`);
  const found = rejection(on.find(names, controller.signal));
  expect(on.asked).toHaveLength(8);
  controller.abort();
  expect(await found).toMatchObject({ code: "cancelled" });
  expect(on.asked).toHaveLength(8);
});
