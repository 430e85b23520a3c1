import type { EffectiveSetting } from "@pintle/wire";
import { SETTING_KEYS, settingRow } from "../../../config/settings/settings-schema.ts";
import type { AgentSession } from "../../../session/agent-session.ts";

/** Masks secrets: no setting is meant for one, but a command or address may contain one. */
export async function effectiveSettings(
  session: Pick<AgentSession, "settings" | "modelState">,
): Promise<EffectiveSetting[]> {
  // Loaded on demand, because the patterns of secrets are large.
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
