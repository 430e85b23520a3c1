import { errorText } from "@pintle/ai";
import type { AgentSessionEvent } from "@pintle/wire";
import type { McpServers } from "../../mcp/mcp-servers.ts";
import type { ResourceSource } from "../../resources/places/resource-places.ts";
import type { PromptText } from "../../resources/prompts/prompt-text.ts";
import { type SlashCommand, toAvailableCommand } from "../../resources/prompts/slash-commands.ts";
import type { SessionResources } from "../../resources/session-resources.ts";
import type { CommandInfo, SessionHooks } from "../session-hooks.ts";
import { builtinCommand, type SlashCall } from "./builtin-commands.ts";

export interface SessionCommandsParts {
  hooks(): SessionHooks;
  resources: Pick<SessionResources, "commands" | "expand">;
  mcp: Pick<McpServers, "loaded" | "beforePrompt" | "status">;
  cwd(): string;
  emit(event: AgentSessionEvent): void;
}

/** Owns the slash commands of a session: runs, expands, lists and announces them, whether they come from extensions, files or MCP servers. */
export class SessionCommands {
  readonly #parts: SessionCommandsParts;
  /** The list that listeners know, serialized. Undefined until it is first read. */
  #known: string | undefined;
  #others: readonly SlashCommand[] = [];
  #holds = 0;

  constructor(parts: SessionCommandsParts) {
    this.#parts = parts;
  }

  /** Returns the command that a message calls and that needs no model. */
  find(text: string): SlashCall | undefined {
    return this.ofExtension(text) ?? builtinCommand(text, this.#parts);
  }

  ofExtension(text: string): SlashCall | undefined {
    return this.#parts.hooks().command(text);
  }

  /** Returns whether `expand` may replace or extend the text. */
  isExpandable(text: string): boolean {
    return mayCallCommand(text) || (this.#parts.mcp.loaded?.mentions(text) ?? false);
  }

  /** Replaces the skill, template or server prompt that the text calls, and attaches the resources that it mentions. */
  async expand(text: string, signal: AbortSignal): Promise<PromptText> {
    const { resources, mcp, cwd } = this.#parts;
    const expanded = await resources.expand(cwd(), text);
    const servers = mcp.loaded;
    const ofServer = expanded === text ? await servers?.expand(text, signal) : undefined;
    const prompt = ofServer ?? { text: expanded };
    return servers?.mentions(text) ? servers.attach(prompt, text, signal) : prompt;
  }

  /** Lists what a prompt may begin with: commands of extensions, skills, templates and prompts of MCP servers. */
  async list(): Promise<SlashCommand[]> {
    const all = [...(await this.#withoutServers()), ...(this.#parts.mcp.loaded?.commands() ?? [])];
    this.#begin(all);
    return all;
  }

  /** The commands of the last announcement that are not an extension's. */
  get others(): readonly SlashCommand[] {
    return this.#others;
  }

  /**
   * Remembers the commands of a directory that the session leaves, so that those of the next one are announced as new.
   */
  async leaveDirectory(directory: string): Promise<void> {
    if (this.#known === undefined) this.#begin(await this.#parts.resources.commands(directory));
  }

  /** Announces the commands if they differ from those that listeners know. */
  async announce(): Promise<void> {
    if (this.#holds > 0) return;
    const commands = await this.list();
    this.#others = commands.filter(({ source }) => source !== "extension");
    const list = serialized(commands);
    if (list === this.#known) return;
    this.#known = list;
    this.#parts.emit({ type: "available_commands_update", commands: commands.map(toAvailableCommand) });
  }

  /** Announces the commands in the background. Emits a notice if they cannot be listed. */
  changed(): void {
    this.#inBackground(this.announce());
  }

  /** Announces changed prompts of MCP servers, even to listeners that never requested the list. */
  serversChanged(): void {
    const announce = async () => {
      if (this.#known === undefined) this.#begin(await this.#withoutServers());
      await this.announce();
    };
    this.#inBackground(announce());
  }

  /** Announces nothing until the returned function is called, because extensions are not ready to list their commands. */
  hold(): () => void {
    this.#holds += 1;
    return () => {
      this.#holds -= 1;
    };
  }

  async #withoutServers(): Promise<SlashCommand[]> {
    const { hooks, resources, cwd } = this.#parts;
    return [...hooks().commands().map(extensionCommand), ...(await resources.commands(cwd()))];
  }

  #begin(commands: readonly SlashCommand[]): void {
    this.#known ??= serialized(commands);
  }

  #inBackground(announced: Promise<void>): void {
    announced.catch((error: unknown) => {
      const message = `The commands could not be listed: ${errorText(error)}`;
      this.#parts.emit({ type: "notice", level: "warning", message, source: "commands" });
    });
  }
}

export function mayCallCommand(text: string): boolean {
  return text.startsWith("/");
}

/** The origin of a resource, by how its extension was found. */
const ORIGINS: Readonly<Record<string, ResourceSource["origin"]>> = {
  project: "auto",
  user: "auto",
  settings: "settings",
};

export function extensionCommand({ name, description, sourceInfo }: CommandInfo): SlashCommand {
  const { path, source, scope } = sourceInfo;
  return {
    name,
    ...(description !== undefined && { description }),
    source: "extension",
    path,
    from: { scope, origin: ORIGINS[source] ?? "named" },
  };
}

function serialized(commands: readonly SlashCommand[]): string {
  return JSON.stringify(commands.map(toAvailableCommand));
}
