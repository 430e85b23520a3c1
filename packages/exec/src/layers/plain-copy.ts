import { join, relative } from "node:path";
import { isInside } from "@pintle/foundation";
import type { CommandPlace, LayerView, ViewRequest } from "./layer-view.ts";

/** A copy on a system without namespaces. Commands start in it, but the workspace's absolute paths lead out of it. */
export class PlainCopy implements LayerView {
  readonly roots: readonly string[];
  readonly missing = ["absolute_paths"];
  readonly #originals: readonly string[];

  constructor({ folder, roots }: Pick<ViewRequest, "folder" | "roots">) {
    this.#originals = roots;
    this.roots = roots.map((_, at) => folder.of(at, "copy"));
  }

  command(command: readonly [string, ...string[]], { cwd }: CommandPlace): [string, ...string[]] {
    const at = this.#originals.findIndex((root) => isInside(root, cwd));
    const inner = at < 0 ? cwd : join(this.roots[at]!, relative(this.#originals[at]!, cwd));
    return ["/bin/sh", "-c", 'cd -- "$1" && shift && exec "$@"', "sh", inner, ...command];
  }

  close(): void {}
}
