import type { SessionHost } from "../../../session/attached-host.ts";
import type { HostChannel } from "./host-channel.ts";

/** Returns the host at the other end of a channel, in the form that its session uses. `overrides` take precedence. */
export function asSessionHost(
  host: HostChannel,
  overrides: Pick<SessionHost, "approve" | "decidesPreviews" | "reader"> = {},
): SessionHost {
  const { capabilities } = host;
  return {
    dialogs: { ...host.ui(), canAsk: () => capabilities.hasUi },
    get answersQuestions() {
      return capabilities.answersQuestions;
    },
    get decidesPreviews() {
      return overrides.decidesPreviews || capabilities.current.resolvePreviews;
    },
    approve: overrides.approve ?? host.approver(),
    get answersApprovals() {
      return overrides.approve !== undefined || host.answersApprovals;
    },
    raiseBudget: host.budgetWaiter(),
    get raisesBudgets() {
      return capabilities.current.budgets;
    },
    ask: host.ask,
    get wantsAsyncWork() {
      return capabilities.current.asyncWork ?? false;
    },
    get workplace() {
      return host.workplace();
    },
    reader: overrides.reader,
  };
}
