import { homeDirectory } from "../../config/home-dir.ts";
import { Settings } from "../../config/settings.ts";
import { LazyGateway } from "../../processes/lazy-gateway.ts";
import { Artifacts } from "../../session/artifacts.ts";
import type { ToolContext } from "../../tools/tool-context.ts";

/** Of all tools that extensions make for themselves: they are made before there is a session. */
const gateway = new LazyGateway();
const artifacts = new Artifacts(() => undefined);

export function standaloneContext(cwd: string): ToolContext {
  return {
    cwd: () => cwd,
    home: homeDirectory(process.env),
    settings: Settings.inMemory(),
    gateway: () => gateway.open(),
    newSpillPath: (tool) => artifacts.newPath(tool),
    takesImages: () => true,
    pushPendingAction() {
      throw new Error("Changes can only be staged with pi.pushPendingAction");
    },
  };
}
