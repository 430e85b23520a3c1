/** Providers reject longer names. */
const MAX_LENGTH = 64;
const HASH_LENGTH = 8;

export interface ToolOrigin {
  server: string;
  /** The server's name for it. */
  tool: string;
}

export interface NamedTools<T extends ToolOrigin> {
  named: { name: string; origin: T }[];
  /** Names that several tools would have had. */
  collisions: string[];
}

/** Returns `mcp__<server>__<tool>`, in characters that every provider accepts. */
export function toolName(origin: ToolOrigin): string {
  const plain = `mcp__${plainWord(origin.server)}__${plainWord(origin.tool)}`;
  return plain.length > MAX_LENGTH ? withHash(plain, origin) : plain;
}

/**
 * Names each tool. If several would get the same name, the first in the order of servers and tools keeps it, and the others
 * get a hash appended, so that the result does not depend on which server was faster.
 */
export function nameTools<T extends ToolOrigin>(origins: readonly T[]): NamedTools<T> {
  const byName = new Map<string, T>();
  const collisions = new Set<string>();
  for (const origin of [...origins].sort(byServerAndTool)) {
    const wanted = toolName(origin);
    const isTaken = byName.has(wanted);
    if (isTaken) collisions.add(wanted);
    byName.set(isTaken ? withHash(wanted, origin) : wanted, origin);
  }
  const named = [...byName].map(([name, origin]) => ({ name, origin }));
  return { named, collisions: [...collisions] };
}

function plainWord(text: string): string {
  return text.replace(/\W/g, "_");
}

function withHash(name: string, { server, tool }: ToolOrigin): string {
  const hash = new Bun.CryptoHasher("sha256").update(JSON.stringify([server, tool])).digest("hex");
  return `${name.slice(0, MAX_LENGTH - HASH_LENGTH - 1)}_${hash.slice(0, HASH_LENGTH)}`;
}

function byServerAndTool(a: ToolOrigin, b: ToolOrigin): number {
  return compare(a.server, b.server) || compare(a.tool, b.tool);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
