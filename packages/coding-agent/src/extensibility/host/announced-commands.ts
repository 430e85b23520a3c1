import { errorText } from "@pintle/ai";
import { type SlashCommand, toAvailableCommand, toPiCommand } from "../../resources/prompts/slash-commands.ts";
import type { AgentSession } from "../../session/agent-session.ts";
import type { CommandInfo } from "../api/extension-host.ts";

/** Announces which commands there are, and keeps for extensions those that are not theirs. */
export class AnnouncedCommands {
  readonly #session: Pick<AgentSession, "commands" | "emit">;
  #others: readonly CommandInfo[] = [];
  #isHeld = false;

  constructor(session: Pick<AgentSession, "commands" | "emit">) {
    this.#session = session;
  }

  /** Prompt templates and skills, as they were announced last. */
  get others(): CommandInfo[] {
    return [...this.#others];
  }

  /** Nothing is announced until `resume`: extensions are not ready to be asked. */
  hold(): void {
    this.#isHeld = true;
  }

  resume(): void {
    this.#isHeld = false;
  }

  announce(): void {
    if (this.#isHeld) return;
    this.#announce().catch((error: unknown) => {
      const message = `The commands could not be listed: ${errorText(error)}`;
      this.#session.emit({ type: "notice", level: "warning", message, source: "commands" });
    });
  }

  async #announce(): Promise<void> {
    const commands = await this.#session.commands();
    this.#others = commands.filter(({ source }) => source !== "extension").flatMap(toInfo);
    this.#session.emit({ type: "available_commands_update", commands: commands.map(toAvailableCommand) });
  }
}

function toInfo(command: SlashCommand): CommandInfo[] {
  const row = toPiCommand(command);
  if (!row) return [];
  const { name, description, source, sourceInfo } = row;
  return [{ name, ...(description !== undefined && { description }), source, sourceInfo }];
}
