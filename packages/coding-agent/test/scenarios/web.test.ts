import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchDirectory } from "../../../../test/support/scratch-directory.mjs";
import { cleanEnvironment, program } from "../support/program.ts";

async function startWeb(cwd: string, args: readonly string[] = []) {
  const child = Bun.spawn([program, "web", ...args], {
    cwd,
    env: cleanEnvironment(cwd),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  let text = "";
  for await (const chunk of child.stderr.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (/http:\S+\n/.test(text)) break;
  }
  const url = new URL(/http:\S+/.exec(text)?.[0] ?? "");
  return { child, origin: url.origin, token: new URLSearchParams(url.hash.slice(1)).get("token") ?? "" };
}

test("pintle web prints the page's address, and ends with ctrl-c", async () => {
  using scratch = scratchDirectory();
  const { child, origin, token } = await startWeb(scratch.path);
  const answer = await fetch(`${origin}/`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect((await answer.text()).slice(0, 15)).toBe("<!doctype html>");
  expect(token.length).toBeGreaterThan(32);
  child.kill("SIGINT");
  expect(await child.exited).toBe(0);
  expect(await new Response(child.stdout).text()).toBe("");
});

test("serves an image of a conversation only with the token, and no other file", async () => {
  using scratch = scratchDirectory();
  const picture = Buffer.from("not really a picture");
  const digest = createHash("sha256").update(picture).digest("hex");
  const blobs = join(scratch.path, ".pintle/blobs");
  mkdirSync(blobs, { recursive: true });
  writeFileSync(join(blobs, digest), picture);
  writeFileSync(join(scratch.path, ".pintle/secret"), "secret");
  const { child, origin, token } = await startWeb(scratch.path);
  const ask = (path: string, bearer = token) =>
    fetch(`${origin}/blob/${path}`, { headers: { authorization: `Bearer ${bearer}` } });
  const answer = await ask(digest);
  expect(Buffer.from(await answer.arrayBuffer())).toEqual(picture);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "content-type": "application/octet-stream",
    "content-disposition": "attachment",
    "x-content-type-options": "nosniff",
  });
  expect((await ask(digest, "wrong")).status).toBe(401);
  for (const other of ["0".repeat(64), "..%2fsecret", "../secret", digest.toUpperCase(), `${digest}/x`, ""])
    expect([other, (await ask(other)).status]).toEqual([other, 404]);
  child.kill("SIGTERM");
  expect(await child.exited).toBe(0);
});

test("pintle web takes no arguments", async () => {
  using scratch = scratchDirectory();
  const child = Bun.spawn([program, "web", "now"], {
    cwd: scratch.path,
    env: cleanEnvironment(scratch.path),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  expect(await new Response(child.stderr).text()).toContain("takes no arguments");
  expect(await child.exited).toBe(2);
});
