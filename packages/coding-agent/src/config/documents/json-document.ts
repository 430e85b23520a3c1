import { createScanner, findNodeAtLocation, type Node, type ParseError, parseTree } from "jsonc-parser/lib/esm/main.js";
import { type Change, placeOf } from "./changes.ts";

// Loaded for a file that JSON.parse rejects, and to change such a file.

/** Reads JSON with comments and trailing commas. Returns the position of the first error if the text is anything else. */
export function readJsonc(text: string): { value: unknown } | { fault: { line: number; column: number } } {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (tree && !error) return { value: contentOf(tree) };
  return { fault: placeOf(text, error?.offset ?? 0) };
}

/** Creates ordinary members for all names, including `__proto__`, as JSON.parse does. */
function contentOf({ type, value, children = [] }: Node): unknown {
  if (type === "array") return children.map(contentOf);
  if (type !== "object") return value;
  return Object.fromEntries(
    children.flatMap(({ children: [name, member] = [] }) => (name && member ? [[name.value, contentOf(member)]] : [])),
  );
}

/** Changes single members and keeps comments, order and whitespace of the rest. The parents of a changed member are objects. */
export function editJsonc(text: string, changes: readonly Change[], indent: string): string {
  return changes.reduce((edited, change) => editMember(edited, change, indent), text);
}

function editMember(text: string, { path, value }: Change, indent: string): string {
  const tree = parseTree(text, [], { allowTrailingComma: true });
  const parent = tree && findNodeAtLocation(tree, path.slice(0, -1));
  if (!parent) return text;
  const name = path.at(-1) ?? "";
  const properties = parent.children ?? [];
  // If a name occurs twice, the last one is read.
  const found = properties.findLast(({ children: [key] = [] }) => key?.value === name);
  const [, old] = found?.children ?? [];
  if (!found || !old) return value === undefined ? text : insert(text, parent, [name, value], indent);
  if (value === undefined) return editMember(remove(text, found), { path, value }, indent);
  return splice(text, old.offset, old.offset + old.length, toJson(value, path.length, indent));
}

/** Keeps the comma before it, which may be the last one, and a comment after it. */
function remove(text: string, property: Node): string {
  const end = property.offset + property.length;
  const comma = commaAfter(text, end) ?? end;
  const lineStart = text.lastIndexOf("\n", property.offset) + 1;
  const lineEnd = text.indexOf("\n", comma);
  const isAlone = text.slice(lineStart, property.offset).trim() === "" && text.slice(comma, lineEnd).trim() === "";
  return isAlone ? splice(text, lineStart, lineEnd + 1, "") : splice(text, property.offset, comma, "");
}

/** Inserts it before the closing bracket, after the comments there. */
function insert(text: string, parent: Node, [name, value]: readonly [string, unknown], indent: string): string {
  const last = parent.children?.at(-1);
  const end = last ? last.offset + last.length : 0;
  const isOpen = last !== undefined && commaAfter(text, end) === undefined;
  const base = isOpen ? splice(text, end, end, ",") : text;
  const close = parent.offset + parent.length - 1 + (isOpen ? 1 : 0);
  const depth = depthOf(parent);
  const member = `${JSON.stringify(name)}: ${toJson(value, depth, indent)}`;
  const lineStart = base.lastIndexOf("\n", close - 1) + 1;
  const isOnOwnLine = lineStart > parent.offset && base.slice(lineStart, close).trim() === "";
  if (isOnOwnLine) return splice(base, lineStart, lineStart, `${indent.repeat(depth)}${member}\n`);
  const start = base.slice(0, close).trimEnd().length;
  return splice(base, start, close, `\n${indent.repeat(depth)}${member}\n${indent.repeat(depth - 1)}`);
}

/** Returns the position after the next comma, skipping whitespace and comments, or undefined if there is none. */
function commaAfter(text: string, start: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(start);
  scanner.scan();
  const offset = scanner.getTokenOffset();
  return text[offset] === "," ? offset + 1 : undefined;
}

function depthOf(node: Node): number {
  const outer = node.parent?.type === "property" ? node.parent.parent : node.parent;
  return outer ? depthOf(outer) + 1 : 1;
}

function toJson(value: unknown, depth: number, indent: string): string {
  return JSON.stringify(value, null, indent).replaceAll("\n", `\n${indent.repeat(depth)}`);
}

function splice(text: string, start: number, end: number, part: string): string {
  return text.slice(0, start) + part + text.slice(end);
}
