import { type SettingRows, setting } from "../setting-row.ts";
import { NO_ENTRIES, oneOf, stringListEntries } from "../settings-types.ts";

/** The terminal. */
export const TERMINAL = {
  "terminal.keys": setting({
    type: stringListEntries,
    default: NO_ENTRIES,
    project: "never",
    meaning:
      'Key bindings of the terminal by action, as in `{"pickModel": ["ctrl+l"]}`; terminal.md lists the actions.',
  }),
  "terminal.theme": setting({
    type: oneOf("auto", "dark", "light", "contrast"),
    default: "auto",
    project: "never",
    meaning:
      "Colors of the terminal. `auto` follows the background that your terminal reports; `contrast` is a high-contrast theme for either background.",
  }),
  "terminal.notify": setting({
    type: oneOf("off", "bell", "desktop"),
    default: "bell",
    project: "never",
    meaning:
      "How the terminal calls you when a run ends or a question is open while its window is not focused: not at all, with the bell, or with a desktop notification.",
  }),
} satisfies SettingRows;
