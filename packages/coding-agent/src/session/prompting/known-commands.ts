import type { AgentSessionEvent } from "@pintle/wire";
import type { ResourceSource } from "../../resources/places/resource-places.ts";
import { type SlashCommand, toAvailableCommand } from "../../resources/prompts/slash-commands.ts";
import type { CommandInfo } from "../session-hooks.ts";

/** How an extension was found, in the words for resources. */
const ORIGINS: Readonly<Record<string, ResourceSource["origin"]>> = {
  project: "auto",
  user: "auto",
  settings: "settings",
};

/** A command of an extension among the others. */
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

/** Which commands listeners know of: several may say which there are, and only what has changed is told. */
export class KnownCommands {
  #list: string | undefined;

  /** The first list that was looked up is not news. */
  begin(commands: readonly SlashCommand[]): void {
    this.#list ??= JSON.stringify(commands.map(toAvailableCommand));
  }

  get isBegun(): boolean {
    return this.#list !== undefined;
  }

  /** The same function for everything but a list that was told before. */
  withoutRepeats(emit: (event: AgentSessionEvent) => void): (event: AgentSessionEvent) => void {
    return (event) => {
      if (event.type === "available_commands_update") {
        const list = JSON.stringify(event.commands);
        if (list === this.#list) return;
        this.#list = list;
      }
      emit(event);
    };
  }
}
