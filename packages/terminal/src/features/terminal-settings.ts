import type { Feature } from "../app.ts";
import { NOTIFY_WAYS } from "../screen/notification.ts";
import { THEME_NAMES } from "../screen/theme.ts";
import { isRecord } from "../text/is-record.ts";

/** Applies the user's keys, theme and notifications when the session reports its settings. */
export const terminalSettings: Feature = (app) => {
  app.onReady(async (session) => {
    const { settings } = await session.getSettings();
    const valueFor = (name: string) => settings.find(({ key }) => key === name)?.value;
    const keys = valueFor("terminal.keys");
    for (const problem of app.keys.use(isRecord(keys) ? keyLists(keys) : {})) app.say(problem, "warning");
    const [theme, notify] = [valueFor("terminal.theme"), valueFor("terminal.notify")];
    app.preferences = {
      theme: THEME_NAMES.find((name) => name === theme) ?? "auto",
      notify: NOTIFY_WAYS.find((way) => way === notify) ?? "bell",
    };
  });
};

function keyLists(value: Record<string, unknown>): Record<string, string[]> {
  const lists = Object.entries(value).map(([name, keys]) => [name, Array.isArray(keys) ? keys.map(String) : []]);
  return Object.fromEntries(lists);
}
