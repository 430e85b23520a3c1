import { HANDLER_METHODS, type HandlerOptions, type HostTool, LocalHost, toDefinition } from "@pintle/client/core";
import type { Environment } from "../config/keys/environment.ts";
import { connectHost } from "../modes/rpc/host/connect-host.ts";
import { HostChannel } from "../modes/rpc/host/host-channel.ts";
import type { CreatedSession } from "../sdk/options.ts";

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
      declare: (change) => void host.capabilities.declare(change),
      resolvePreview: ({ action, ...choice }) => session.resolvePendingAction(action, choice),
      raiseBudget: (totals) => session.budget.raise(totals),
      onThrow: (what, error) =>
        session.emit({ type: "notice", level: "error", message: `${what}: ${String(error)}`, source: "host" }),
    },
    handlers,
    tools,
  );
  session.onChange(({ kind }) => (kind === "shutdown" ? local.stop() : undefined));
  if (tools.length > 0) {
    const { toolRegistry } = session;
    const definitions = tools.map((tool) => toDefinition(tool, true));
    toolRegistry.replace("host", await host.tools.define(definitions, (name) => toolRegistry.isTaken(name, "host")));
  }
  if (!HANDLER_METHODS.some((name) => handlers[name] !== undefined)) return;
  const { approver, isAnswered } = session.permissions;
  connectHost(session, host);
  if (!handlers.onApproval) Object.assign(session.permissions, { approver, isAnswered });
  session.tooling.workplace = host.workplace();
  if (handlers.onUiRequest) modules.useDialogs(() => host.ui());
  if (handlers.onTrustRequest) {
    session.askConsent({ by: "host", ask: (request, signal) => host.askForTrust(request, signal) });
  }
  session.subscribe((event) => local.handle(event));
}
