import type { AgentSession } from "../../../session/agent-session.ts";
import type { HostChannel } from "./host-channel.ts";

/** Sends what the session asks to the host. */
export function connectHost(session: AgentSession, host: HostChannel): void {
  session.attachHost({ ...host.ui(), canAsk: () => host.capabilities.hasUi });
  session.declareHost(host.capabilities.wishes);
  session.permissions.approver = host.approver();
  session.permissions.isAnswered = () => host.answersApprovals;
  session.budget.waiter = host.budgetWaiter();
  session.budget.isAnswered = () => host.capabilities.current.budgets;
  session.askLogin = (request) => host.askForLogin(request);
}
