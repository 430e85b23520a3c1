import { type SettingRows, setting } from "../setting-row.ts";
import { NO_ENTRIES, stringListEntries } from "../settings-types.ts";

/** The terminal. */
export const TERMINAL = {
  "terminal.keys": setting({
    type: stringListEntries,
    default: NO_ENTRIES,
    project: "never",
    meaning: 'Keys of the terminal by action, as in `{"pickModel": ["ctrl+l"]}`; the actions are in terminal.md.',
  }),
} satisfies SettingRows;
