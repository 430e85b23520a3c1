import type { SessionModules } from "../extensibility/session-modules.ts";
import type { McpServers } from "../mcp/mcp-servers.ts";
import type { ProjectAccess } from "../session/assemble-session.ts";
import type { TrustAsker } from "../trust/ask-for-trust.ts";
import type { ProjectTrust } from "../trust/project-trust.ts";
import { withheldText } from "../trust/trust-texts.ts";

export interface ProjectContentParts {
  trust: ProjectTrust;
  modules: SessionModules;
  mcp: McpServers;
}

/** What the session's directory provides: trust decides which of its modules and MCP servers are loaded. */
export class ProjectContent implements ProjectAccess {
  readonly #parts: ProjectContentParts;

  constructor(parts: ProjectContentParts) {
    this.#parts = parts;
  }

  async askConsent(asker: TrustAsker, signal: AbortSignal): Promise<void> {
    const { trust, modules, mcp } = this.#parts;
    if (trust.state !== "withheld") return;
    if ((await trust.ask(asker, signal)) !== "trusted") return;
    await modules.loadConsented();
    void mcp.review(); // never rejects: it warns
  }

  withheld(): string | undefined {
    return withheldText(this.#parts.trust);
  }

  async enter(directory: string): Promise<void> {
    const { trust, modules, mcp } = this.#parts;
    await trust.review(directory);
    await modules.enter(directory);
    void mcp.review(); // never rejects: it warns
  }
}
