import type { Completion, PathCompletion, PathCompletionParts } from "../../tools/search/path-completion.ts";

/** Completes paths; loaded with the first question. */
export class LazyCompletion {
  readonly #parts: PathCompletionParts;
  #loaded: Promise<PathCompletion> | undefined;

  constructor(parts: PathCompletionParts) {
    this.#parts = parts;
  }

  async complete(query: string, limit?: number): Promise<Completion> {
    this.#loaded ??= import("../../tools/search/path-completion.ts").then(
      ({ PathCompletion }) => new PathCompletion(this.#parts),
    );
    return (await this.#loaded).complete(query, limit);
  }
}
