/** The memory limit of workers, if the system can enforce one. */
export interface MemoryLimit {
  /** Undefined without a limit, or if the system cannot enforce one. */
  bytes?: number;
  /** Wraps a command so that it runs within the limit. */
  within(command: readonly string[]): readonly string[];
}

const SHELL_SCRIPT = 'ulimit -d "$1" && shift && exec "$@"';

/**
 * Limits RLIMIT_DATA in a shell that then becomes the engine: Linux counts all private writable memory, and child processes of the
 * worker inherit the limit. Limiting the address space would not work, because the engine reserves much more than it uses.
 */
export function memoryLimit(bytes: number | undefined, platform = process.platform): MemoryLimit {
  if (bytes === undefined || platform !== "linux") return { within: (command) => command };
  const kilobytes = String(Math.ceil(bytes / 1024));
  return { bytes, within: (command) => ["/bin/sh", "-c", SHELL_SCRIPT, "sh", kilobytes, ...command] };
}
