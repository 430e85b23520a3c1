/** Names that other programs export and pintle has no use for: modules that import them load, and hear of it when they call. */
export function unavailable(names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    names.map((name) => {
      const refuse = function refuse(): never {
        throw new Error(`"${name}" is not available in pintle`);
      };
      return [name, refuse];
    }),
  );
}
