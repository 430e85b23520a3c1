import type { DefaultCommands } from "@pintle/gateway/cluster";

/** Returns the commands that turn the defaults of a connection from `sent` into `wanted`. */
export function changedDefaults(sent: DefaultCommands, wanted: DefaultCommands): Record<string, unknown>[] {
  return Object.entries(wanted)
    .filter(([type, fields]) => JSON.stringify(sent[type]) !== JSON.stringify(fields))
    .map(([type, fields]) => ({ ...fields, type }));
}
