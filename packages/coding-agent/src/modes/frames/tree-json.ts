import { toFrameJson } from "./frame-json.ts";
import { KnownJson } from "./known-json.ts";

/** The parts of a session tree's node that matter here. */
interface TreeNode {
  readonly children: readonly TreeNode[];
}

/**
 * Serializes a tree for a frame. A tree is as deep as the conversation is long, and JSON.stringify overflows the stack after
 * a few thousand levels, so it is used only for each node without its children.
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
