/** How an engine is started for a session. */
export interface WorkerSpec {
  cwd: string;
  /** Flags after `--mode rpc`. */
  args: readonly string[];
  /** In addition to the gateway's environment. */
  env: Readonly<Record<string, string>>;
}

/** Specs with the same key start the same engine. */
export function specKey({ cwd, args, env }: WorkerSpec): string {
  return JSON.stringify([cwd, args, Object.entries(env).sort(([a], [b]) => (a < b ? -1 : 1))]);
}
