import type { EffectiveSetting } from "@pintle/wire";
import { SETTING_KEYS, settingRow } from "../../../config/settings/settings-schema.ts";
import type { AgentSession } from "../../../session/agent-session.ts";

/** No setting is for a secret, and still a command or an address in one may hold it. */
export async function effectiveSettings(
  session: Pick<AgentSession, "settings" | "modelState">,
): Promise<EffectiveSetting[]> {
  // Loaded when asked for: the forms of secrets are many.
  const { createRedactor } = await import("@pintle/ai/secrets");
  const redactor = createRedactor(session.modelState.knownSecrets());
  const { settings } = session;
  return SETTING_KEYS.map((key) => {
    const value = settings.get(key);
    const { layer: source, file } = settings.origin(key);
    return {
      key,
      ...(value !== undefined && { value: redactor.value(value) }),
      source,
      ...(file !== undefined && { file }),
      meaning: settingRow(key).meaning,
    };
  });
}
