/** Returns a function that can be imported, extended and compared, and that throws when it is called or constructed. */
export function standIn(name: string): () => never {
  return function unavailable(): never {
    throw new Error(`"${name}" is not available in pintle`);
  };
}
