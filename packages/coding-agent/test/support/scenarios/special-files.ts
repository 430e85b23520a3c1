import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** A pipe without a writer: opening it to read blocks forever. */
export function makePipe(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  if (Bun.spawnSync(["mkfifo", path]).exitCode !== 0) throw new Error(`mkfifo ${path} failed`);
}

export function writeText(path: string, content: string | object): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
}

/** Returns a session whose only message refers to the blob of that name. */
export function writeSessionWithBlob(path: string, cwd: string, hash: string): void {
  const timestamp = "2024-01-01T00:00:00.000Z";
  const content = [{ type: "image", mimeType: "image/png", data: `blob:sha256:${hash}` }];
  const rows = [
    { type: "session", version: 3, id: "s", timestamp, cwd, parentSession: "/etc/passwd" },
    { type: "message", id: "__proto__", parentId: null, timestamp, message: { role: "user", content, timestamp: 0 } },
  ];
  writeText(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
}
