import { notifyTools } from "../custom-tools/notify-session.ts";
import type { CustomTool, CustomToolSessionEvent } from "../custom-tools/types.ts";
import type { ExtensionFault } from "./extension-host.ts";
import type { ExtensionInstance } from "./extension-instance.ts";

/** Tells the tools that want to know what happens to the session. Resolves when all have answered or had their time. */
export async function notifyExtensionTools(
  instances: readonly ExtensionInstance[],
  event: CustomToolSessionEvent,
  report: (fault: ExtensionFault) => void,
): Promise<void> {
  await Promise.all(
    instances
      .filter(({ isActive }) => isActive)
      .map((instance) => {
        const listeners = [...instance.tools.values()]
          .filter(({ definition }) => typeof definition.onSession === "function")
          .map(({ tool, definition }) => ({
            path: instance.path,
            tool,
            declaration: definition as unknown as CustomTool,
          }));
        if (listeners.length === 0) return undefined;
        return notifyTools(listeners, event, {
          context: () => instance.context,
          report: (fault) => report({ ...fault, event: "onSession" }),
        });
      }),
  );
}
