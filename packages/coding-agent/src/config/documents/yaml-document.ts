import { type Document, LineCounter, parseDocument } from "yaml";
import type { Change } from "./changes.ts";

// Loaded for a file that the runtime's parser rejects, and to change a file.

/** Returns the line of the first error, or undefined if this parser finds none. */
export function findYamlFault(text: string): number | undefined {
  const lineCounter = new LineCounter();
  const [error] = parseDocument(text, { lineCounter, prettyErrors: false }).errors;
  return error && lineCounter.linePos(error.pos[0]).line;
}

/** Changes single members and keeps comments, order and quotes of the rest. */
export function editYaml(text: string, changes: readonly Change[]): string {
  const document: Document = parseDocument(text, { prettyErrors: false });
  document.contents ??= document.createNode({});
  for (const { path, value } of changes) {
    if (value === undefined) document.deleteIn(path);
    // Put a scalar into the existing node, which keeps its comment.
    else document.setIn(path, typeof value === "object" ? document.createNode(value) : value);
  }
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}
