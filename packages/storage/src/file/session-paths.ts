/** ISO time in a form that is valid in file names on every system. */
export function fileTime(ms: number): string {
  return new Date(ms).toISOString().replace(/[:.]/g, "-");
}

const MAX_NAME_BYTES = 200;

/**
 * The directory of a working directory's sessions. Different ones may share it, so a search for sessions compares the
 * header as well; that also allows to shorten what would be too long for a file name.
 */
export function cwdDirectoryName(cwd: string): string {
  const name = cwd.replace(/^[/\\]/, "").replace(/[/\\:]/g, "-");
  if (Buffer.byteLength(name) <= MAX_NAME_BYTES) return `--${name}--`;
  const hash = new Bun.CryptoHasher("sha256").update(cwd).digest("hex").slice(0, 16);
  return `--${Buffer.from(name)
    .subarray(0, MAX_NAME_BYTES)
    .toString("utf8")
    .replace(/\uFFFD+$/, "")}-${hash}--`;
}

export function sessionFileName(ms: number, sessionId: string): string {
  return `${fileTime(ms)}_${sessionId.replace(/[^A-Za-z0-9._-]/g, "-")}.jsonl`;
}
