import type { SandboxSettings } from "@pintle/exec";
import type { Settings } from "./settings.ts";

/** Returns the settings of the sandbox as they are now. */
export function sandboxSettings(settings: Pick<Settings, "get">): SandboxSettings {
  return {
    mode: settings.get("sandbox.mode"),
    network: settings.get("sandbox.network"),
    require: settings.get("sandbox.require"),
    write: settings.get("sandbox.write"),
    hide: settings.get("sandbox.hide"),
    userCommands: settings.get("sandbox.userCommands"),
    mcp: settings.get("sandbox.mcp"),
  };
}
