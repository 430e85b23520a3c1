import { HANDLER_METHODS, type HandlerOptions, type HostTool, LocalHost, toDefinition } from "@pintle/client/core";
import type { Environment } from "../config/keys/environment.ts";
import { HostChannel } from "../modes/rpc/host/host-channel.ts";
import { asSessionHost } from "../modes/rpc/host/session-host.ts";
import type { CreatedSession } from "../sdk/options.ts";
import { denyUnasked } from "../session/attached-host.ts";

export interface OwnHost {
  handlers: HandlerOptions;
  tools: readonly HostTool[];
  env: Environment;
}

/** Makes this program the host of its own session. Throws if a tool is rejected. */
export async function attachOwnHost(created: CreatedSession, { handlers, tools, env }: OwnHost): Promise<void> {
  const { session, modules } = created;
  const host = new HostChannel({
    send: (frame) => local.receive(frame),
    settings: session.settings,
    env,
    mistakes: { report: () => {} }, // the answers are built by `LocalHost`
  });
  const local = new LocalHost(
    {
      answer: (type, fields) => void host.onAnswer(type, fields),
      declare(change) {
        host.capabilities.declare(change);
        session.host.changed();
      },
      resolvePreview: ({ action, ...choice }) => session.resolvePendingAction(action, choice),
      raiseBudget: (totals) => session.budget.raise(totals),
      onThrow: (what, error) =>
        session.events.emit({ type: "notice", level: "error", message: `${what}: ${String(error)}`, source: "host" }),
    },
    handlers,
    tools,
  );
  session.handover.onChange(({ kind }) => (kind === "shutdown" ? local.stop() : undefined));
  if (tools.length > 0) {
    const { registry } = session.tooling;
    const definitions = tools.map((tool) => toDefinition(tool, true));
    registry.replace("host", await host.tools.define(definitions, (name) => registry.isTaken(name, "host")));
  }
  if (!HANDLER_METHODS.some((name) => handlers[name] !== undefined)) return;
  const { approve, decidesPreviews = false } = session.host.current; // from the options of the session
  const isApproving = handlers.onApproval !== undefined;
  session.attachHost(
    asSessionHost(host, { approve: isApproving ? undefined : (approve ?? denyUnasked), decidesPreviews }),
  );
  if (handlers.onUiRequest) modules.useDialogs(() => host.ui());
  if (handlers.onTrustRequest) {
    session.consent.askOf({ by: "host", ask: (request, signal) => host.askForTrust(request, signal) });
  }
  session.subscribe((event) => local.handle(event));
}
