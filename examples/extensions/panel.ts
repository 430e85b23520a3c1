// Shows everything a host can display for an extension: a widget with the calls of this run, a status with the use of
// the context, a title.
//   echo '{"type":"prompt","message":"list"}' | PI_RPC_EMIT_TITLE=1 pintle --mode rpc --extension examples/extensions/panel.ts
// A host gets each as an `extension_ui_request` frame with the method setWidget, setStatus or setTitle, and decides how
// to display it; titles are sent only if the environment asks for them, as here.
import { basename } from "node:path";
import type { ExtensionContext, ExtensionFactory } from "pintle";

const WIDGET = "panel";

const extension: ExtensionFactory = (pi) => {
  const calls = new Map<string, { count: number; failed: number }>();

  function show({ ui, cwd, getContextUsage }: ExtensionContext): void {
    const lines = [...calls].map(
      ([name, { count, failed }]) => `${name} × ${count}${failed ? `, ${failed} failed` : ""}`,
    );
    ui.setWidget(WIDGET, lines.length > 0 ? lines : undefined, { placement: "belowEditor" });
    const percent = getContextUsage()?.percent;
    ui.setStatus(WIDGET, typeof percent === "number" ? `context ${Math.round(percent)} %` : undefined);
    ui.setTitle(`${pi.getSessionName() ?? "pintle"} – ${basename(cwd)}`);
  }

  pi.on("session_start", (_event, ctx) => show(ctx));
  pi.on("agent_start", () => calls.clear());
  pi.on("tool_execution_end", ({ toolName, isError }, ctx) => {
    const { count, failed } = calls.get(toolName) ?? { count: 0, failed: 0 };
    calls.set(toolName, { count: count + 1, failed: failed + (isError ? 1 : 0) });
    show(ctx);
  });
  pi.on("agent_settled", (_event, ctx) => show(ctx));
};

export default extension;
