import type { ImageContent } from "@pintle/ai";

/** The text of a prompt: as typed, or as expanded by templates, extensions and MCP servers. */
export interface PromptText {
  text: string;
  images?: ImageContent[] | undefined;
}
