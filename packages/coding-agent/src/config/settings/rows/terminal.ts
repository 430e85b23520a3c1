import { type SettingRows, setting } from "../setting-row.ts";
import { NO_ENTRIES, stringListEntries } from "../settings-types.ts";

/** The terminal. */
export const TERMINAL = {
  "terminal.keys": setting({
    type: stringListEntries,
    default: NO_ENTRIES,
    project: "never",
    meaning:
      'Key bindings of the terminal by action, as in `{"pickModel": ["ctrl+l"]}`; terminal.md lists the actions.',
  }),
} satisfies SettingRows;
