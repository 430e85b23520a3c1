import type { Feature } from "../app.ts";
import { isRecord } from "../text/is-record.ts";

/** The user's own keys count as soon as the session has told them. */
export const keySettings: Feature = (app) => {
  app.onReady(async (session) => {
    const { settings } = await session.getSettings();
    const value = settings.find(({ key }) => key === "terminal.keys")?.value;
    for (const problem of app.keys.use(isRecord(value) ? keyLists(value) : {})) app.say(problem, "warning");
  });
};

function keyLists(value: Record<string, unknown>): Record<string, string[]> {
  const lists = Object.entries(value).map(([name, keys]) => [name, Array.isArray(keys) ? keys.map(String) : []]);
  return Object.fromEntries(lists);
}
