/** Thrown if the agent breaks a rule; the message says how. */
export class Violation extends Error {
  override name = "Violation";
}

export function require(holds: unknown, text: string): asserts holds {
  if (!holds) throw new Violation(text);
}

export function same(actual: unknown, expected: unknown, what: string): void {
  const [a, e] = [JSON.stringify(actual), JSON.stringify(expected)];
  require(a === e, `${what}: expected ${short(e)}, got ${short(a)}`);
}

const LONGEST = 300;
const short = (text: string | undefined) =>
  text !== undefined && text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : String(text);
