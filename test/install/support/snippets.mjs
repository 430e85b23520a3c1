// Reads the code blocks of the documentation and their directives. docs/contributing.md has the rules.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../../scripts/paths.mjs";

const FENCE = /^(\s*)(`{3,})(.*)$/;
const DIRECTIVE = /^\s*<!-- snippet: (.*) -->$/;
const DIRECTIVES = {
  "not run": "reason",
  "saved as": "file",
  prints: "output",
  during: "server",
  given: "context",
};

/**
 * @typedef {{
 *   name: string,
 *   page: string,
 *   line: number,
 *   language: string,
 *   code: string,
 *   reason?: string,
 *   file?: string,
 *   output?: string,
 *   server?: string,
 *   context?: string,
 * }} Snippet `reason`: why it does not run; `file`: where the page tells readers to save it; `output`: what it prints, among
 *   other things; `server`: the command that runs meanwhile; `context`: the code that a fragment continues
 */

/** Returns the pages whose code readers copy, relative to the repository. */
export function documentationPages() {
  const below = (folder) =>
    readdirSync(join(root, folder), { recursive: true })
      .filter((path) => path.endsWith(".md") && !path.includes("node_modules"))
      .map((path) => `${folder}/${path}`);
  const packages = readdirSync(join(root, "packages")).map((name) => `packages/${name}/README.md`);
  const readmes = ["README.md", "python/README.md", ...packages].filter((path) => existsSync(join(root, path)));
  return [...readmes, ...below("docs"), ...below("examples").filter((path) => path.endsWith("README.md"))].sort();
}

/** @returns {Snippet[]} */
export function snippetsOf(page, text = readFileSync(join(root, page), "utf8")) {
  const lines = text.split("\n");
  const snippets = [];
  let directives = {};
  for (let index = 0; index < lines.length; index++) {
    const name = `${page}:${index + 1}`;
    const directive = DIRECTIVE.exec(lines[index])?.[1];
    if (directive !== undefined) {
      directives = { ...directives, ...readDirective(directive, name) };
      continue;
    }
    const fence = FENCE.exec(lines[index]);
    if (!fence) {
      if (Object.keys(directives).length > 0) throw new Error(`${name}: a code block must follow the line above`);
      continue;
    }
    const [, indent, marks, language] = fence;
    const end = lines.findIndex((line, later) => later > index && line.trim() === marks);
    if (end === -1) throw new Error(`${name}: the code block has no end`);
    const code = lines
      .slice(index + 1, end)
      .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line));
    snippets.push({ name, page, line: index + 1, language, code: `${code.join("\n")}\n`, ...directives });
    directives = {};
    index = end;
  }
  if (Object.keys(directives).length > 0) throw new Error(`${page}: a code block must follow the last line`);
  return snippets;
}

function readDirective(text, name) {
  const [, key, value] = /^([a-z ]+): (.*\S)$/.exec(text) ?? [];
  const field = DIRECTIVES[key];
  if (!field) throw new Error(`${name}: "${text}" is not one of ${Object.keys(DIRECTIVES).join(", ")}, with a value`);
  return { [field]: value };
}
