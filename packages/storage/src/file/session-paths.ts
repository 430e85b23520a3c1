/** ISO time in a form that is valid in file names on every system. */
export function fileTime(ms: number): string {
  return new Date(ms).toISOString().replace(/[:.]/g, "-");
}

const MAX_NAME_BYTES = 200;

/**
 * Returns the name of the directory for the sessions of a working directory. Several working directories may share one, because
 * long names are shortened; a search therefore compares the header as well.
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
