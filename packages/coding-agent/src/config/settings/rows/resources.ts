import { type SettingRows, setting } from "../setting-row.ts";
import { flag, NO_ITEMS, strings } from "../settings-types.ts";

/** What users provide: extensions, tools, skills, templates. */
export const RESOURCES = {
  extensions: setting({
    type: strings,
    default: NO_ITEMS,
    project: "consent",
    host: "roots",
    meaning: "Extensions to load: files or directories.",
  }),
  disabledExtensions: setting({
    type: strings,
    default: NO_ITEMS,
    project: "consent",
    meaning: "Extensions not to load, as `extension-module:<name>`.",
  }),
  customTools: setting({
    type: strings,
    default: NO_ITEMS,
    project: "consent",
    host: "roots",
    meaning: "Custom tools to load; paths are relative to the settings file's directory.",
  }),
  skills: setting({
    type: strings,
    default: NO_ITEMS,
    project: "always",
    host: "roots",
    meaning: "Additional skills: files or directories.",
  }),
  enableSkillCommands: setting({
    type: flag,
    default: true,
    project: "consent",
    host: "any",
    meaning: "Offer every skill as the command `/skill:<name>`.",
  }),
  prompts: setting({
    type: strings,
    default: NO_ITEMS,
    project: "always",
    host: "roots",
    meaning: "Additional prompt templates: files or directories.",
  }),
} satisfies SettingRows;
