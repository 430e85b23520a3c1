// A published declaration names the types that it takes from the surroundings. TypeScript leaves that out, and a project whose
// tsconfig.json has neither `types` nor `lib` would then find no Buffer and no Symbol.asyncDispose.

/** what a declaration says → the line that brings it */
const REFERENCES = [
  [/\bBuffer\b|\bNodeJS\.|"node:/, '/// <reference types="node" />'],
  [/\bSymbol\.(asyncDispose|dispose)\b|\b(Async)?Disposable\b/, '/// <reference lib="esnext.disposable" />'],
];

/**
 * For the package.json of those that refer to Node's types: a package manager that keeps packages apart (pnpm, Yarn) lets the
 * reference find them only when they are declared. Optional, because JavaScript needs none.
 */
export const NODE_TYPES = {
  peerDependencies: { "@types/node": "*" },
  peerDependenciesMeta: { "@types/node": { optional: true } },
};

const COMMENTS = /\/\*[\s\S]*?\*\//g;

/** @param {string} text a declaration as TypeScript wrote it */
export function withReferences(text) {
  const code = text.replace(COMMENTS, "");
  const lines = REFERENCES.flatMap(([need, line]) => (need.test(code) && !code.includes(line) ? [`${line}\n`] : []));
  return `${lines.join("")}${text}`;
}
