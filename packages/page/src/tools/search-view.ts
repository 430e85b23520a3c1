import { codeBlock } from "../code/code-view.ts";
import { type Child, h } from "../dom.ts";

interface Hit {
  line: string;
  text: string;
}

const MATCH = /^([^\s:][^:\n]{0,500}?):(\d+)(?::\d+)?[:-] ?(.*)$/;
const CONTEXT = /^([^\s:][^:\n]{0,500}?)-(\d+)- ?(.*)$/;
const MOST_FILES = 40;

/** Shows matches by file, and anything else unchanged. */
export function searchContent(text: string): Child {
  const files = new Map<string, Hit[]>();
  const others: string[] = [];
  for (const line of text.split("\n")) {
    const [, path, number, rest] = MATCH.exec(line.slice(0, 3000)) ?? CONTEXT.exec(line.slice(0, 3000)) ?? [];
    if (path === undefined) others.push(line);
    else if (files.has(path)) files.get(path)?.push({ line: number as string, text: rest as string });
    else files.set(path, [{ line: number as string, text: rest as string }]);
  }
  const isGrep = files.size > 0 && others.filter((line) => line.trim() !== "").length <= files.size + 3;
  if (!isGrep || files.size > MOST_FILES) return codeBlock(text, { lines: 24, label: "Found" });
  const rest = others.join("\n").trim();
  return [[...files].map(([path, hits]) => fileHits(path, hits)), rest !== "" && h("p", { class: "remark" }, rest)];
}

function fileHits(path: string, hits: readonly Hit[]): Child {
  const width = Math.max(...hits.map(({ line }) => line.length));
  const text = hits.map(({ line, text: found }) => `${line.padStart(width)}  ${found}`).join("\n");
  return [h("div", { class: "hit-file" }, path), codeBlock(text, { lines: 12, className: "hits", label: path })];
}
