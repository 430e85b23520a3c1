import type { ExtensionInstance } from "./extension-instance.ts";
import type { CommandInfo, SourceInfo } from "./session-hooks.ts";
import type { CommandDefinition } from "./types.ts";

export interface NamedCommand {
  /** As it is typed, without the slash. */
  name: string;
  command: CommandDefinition;
  instance: ExtensionInstance;
}

/** All commands; several of one name are told apart by a number, in load order. */
export function listCommands(instances: readonly ExtensionInstance[]): NamedCommand[] {
  const all = instances.flatMap((instance) =>
    [...instance.commands].map(([name, command]) => ({ name, command, instance })),
  );
  const byName = Map.groupBy(all, ({ name }) => name);
  return all.map((entry) => {
    const same = byName.get(entry.name) ?? [];
    return same.length > 1 ? { ...entry, name: `${entry.name}:${same.indexOf(entry) + 1}` } : entry;
  });
}

export function commandInfo({ name, command, instance }: NamedCommand): CommandInfo {
  const { description } = command;
  return {
    name,
    ...(typeof description === "string" && { description }),
    source: "extension",
    sourceInfo: sourceInfo(instance),
  };
}

const SCOPES = { project: "project", user: "user", settings: "user", flag: "temporary", inline: "temporary" } as const;

export function sourceInfo({ source }: ExtensionInstance): SourceInfo {
  return { path: source.path, source: source.scope, scope: SCOPES[source.scope], origin: "top-level" };
}
