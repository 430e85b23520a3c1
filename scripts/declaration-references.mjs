// A published declaration must reference the ambient types it uses. TypeScript omits that, and a project whose
// tsconfig.json has neither `types` nor `lib` would not find Buffer or Symbol.asyncDispose.

/** pattern in a declaration → the line to add */
const REFERENCES = [
  [/\bBuffer\b|\bNodeJS\.|"node:/, '/// <reference types="node" />'],
  [/\bSymbol\.(asyncDispose|dispose)\b|\b(Async)?Disposable\b/, '/// <reference lib="esnext.disposable" />'],
];

/**
 * For the package.json of packages that refer to Node's types: strict package managers (pnpm, Yarn) resolve the
 * reference only if they are declared. Optional, because JavaScript users need none.
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
