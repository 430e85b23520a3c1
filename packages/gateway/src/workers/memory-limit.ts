/** What a worker may use, where the system can hold it to that. */
export interface MemoryLimit {
  /** Absent: there is no limit, or the system has none to offer. */
  bytes?: number;
  /** The command that starts a worker within it. */
  within(command: readonly string[]): readonly string[];
}

const SHELL_SCRIPT = 'ulimit -d "$1" && shift && exec "$@"';

/**
 * RLIMIT_DATA, set by a shell that then becomes the engine: Linux counts all private memory that can be written, and what a worker
 * starts inherits it. The size of the address space would not do, because the engine reserves much more than it uses.
 */
export function memoryLimit(bytes: number | undefined, platform = process.platform): MemoryLimit {
  if (bytes === undefined || platform !== "linux") return { within: (command) => command };
  const kilobytes = String(Math.ceil(bytes / 1024));
  return { bytes, within: (command) => ["/bin/sh", "-c", SHELL_SCRIPT, "sh", kilobytes, ...command] };
}
