/** The options that an engine is started with for a session. */
export interface WorkerSpec {
  cwd: string;
  /** Flags after `--mode rpc`. */
  args: readonly string[];
  /** Variables in addition to the gateway's environment. */
  env: Readonly<Record<string, string>>;
}

/** Returns the key of a spec. Specs with the same key start the same engine. */
export function specKey({ cwd, args, env }: WorkerSpec): string {
  return JSON.stringify([cwd, args, Object.entries(env).sort(([a], [b]) => (a < b ? -1 : 1))]);
}
