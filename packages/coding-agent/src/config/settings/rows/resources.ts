import { type SettingRows, setting } from "../setting-row.ts";
import { flag, NO_ITEMS, strings } from "../settings-types.ts";

/** What users bring: extensions, tools, skills, templates. */
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
    meaning: "Extensions that are not loaded, as `extension-module:<name>`.",
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
    meaning: "Further skills: files or directories.",
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
    meaning: "Further prompt templates: files or directories.",
  }),
} satisfies SettingRows;
