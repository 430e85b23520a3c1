import type { EffectiveSetting } from "@pintle/client";
import type { Feature } from "../app.ts";

/**
 * Implements `/settings`, which lists the settings that differ from their defaults, or those whose name or description
 * contains the given text.
 */
export const settingsList: Feature = (app) => {
  app.commands.add({
    name: "settings",
    description: "settings in effect and the file each comes from",
    hint: "[text]",
    run: async (rest) => {
      const { settings = [] } = (await app.session?.getSettings()) ?? {};
      app.say(settingsText(settings, rest));
    },
  });
};

function settingsText(settings: readonly EffectiveSetting[], text: string): string {
  const wanted = text.toLowerCase();
  const isWanted = ({ key, meaning, source }: EffectiveSetting) =>
    wanted === "" ? source !== "default" : `${key} ${meaning}`.toLowerCase().includes(wanted);
  const rows = settings.filter(isWanted);
  if (rows.length === 0 && wanted !== "") return `No setting has "${text}" in its name or description.`;
  const lines = rows.map(({ key, value, source, file, meaning }) => {
    const from = file === undefined ? source : `${source}: ${file}`;
    return `${key} = ${JSON.stringify(value) ?? "not set"} (${from})${wanted === "" ? "" : `\n  ${meaning}`}`;
  });
  const head = rows.length === 0 ? ["All settings have their defaults."] : [];
  const advice = wanted === "" ? ["/settings TEXT searches all settings; change them in settings.json."] : [];
  return [...head, ...lines, ...advice].join("\n");
}
