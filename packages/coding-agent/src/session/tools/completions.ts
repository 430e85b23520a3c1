import type { McpServers } from "../../mcp/mcp-servers.ts";
import type { Completion, PathCompletion, PathCompletionParts } from "../../tools/search/path-completion.ts";

export interface CompletionsParts extends PathCompletionParts {
  mcp: Pick<McpServers, "loaded">;
}

/** Completes paths and the resources of MCP servers while the user types. The code for paths is loaded with the first query. */
export class Completions {
  readonly #parts: CompletionsParts;
  #paths: Promise<PathCompletion> | undefined;

  constructor(parts: CompletionsParts) {
    this.#parts = parts;
  }

  async complete(query: string, limit = 20): Promise<Completion> {
    const resources = await this.#parts.mcp.loaded?.complete(query, limit);
    if (resources) return { paths: resources, isComplete: true };
    this.#paths ??= import("../../tools/search/path-completion.ts").then(
      ({ PathCompletion }) => new PathCompletion(this.#parts),
    );
    return (await this.#paths).complete(query, limit);
  }
}
