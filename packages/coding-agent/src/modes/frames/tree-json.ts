import { toFrameJson } from "./frame-json.ts";
import { KnownJson } from "./known-json.ts";

/** A node of a session's tree, as far as its shape matters here. */
interface TreeNode {
  readonly children: readonly TreeNode[];
}

/**
 * A tree as a part of a frame. It is as deep as the conversation is long, and the JSON writer runs out of stack after some
 * thousand levels: here only what a node holds besides its children is left to it.
 */
export function treeJson(roots: readonly TreeNode[]): KnownJson {
  const parts = ["["];
  const levels = [roots.values()];
  for (let level = levels.at(-1); level; level = levels.at(-1)) {
    const { done, value: node } = level.next();
    if (done) {
      levels.pop();
      parts.push(levels.length > 0 ? "]}" : "]");
      continue;
    }
    const { children, ...own } = node;
    const head = toFrameJson(own).slice(0, -1);
    parts.push(needsComma(parts) ? "," : "", head, head === "{" ? '"children":[' : ',"children":[');
    levels.push(children.values());
  }
  return new KnownJson(parts.join(""));
}

const needsComma = (parts: readonly string[]) => parts.at(-1) === "]}";
