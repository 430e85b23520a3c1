import { isRecord } from "@pintle/ai";
import type { PendingActionInfo } from "@pintle/wire";
import type { Frame } from "../gateway-link.ts";
import { type Approval, approvalAnswer, approvalQuestion } from "../questions/approvals.ts";
import { askDialog, isDialog } from "../questions/dialogs.ts";
import { askForFile } from "../questions/files.ts";
import { previewQuestion, previewVerdict } from "../questions/previews.ts";
import { runInTerminal } from "../questions/terminals.ts";
import { trustAnswer, trustQuestion } from "../questions/trust.ts";
import { notification } from "../updates/notices.ts";
import type { AcpSession } from "./acp-session.ts";

type Handler = (session: AcpSession, frame: Frame) => void;

const withdraw: Handler = ({ questions }, { targetId }) => questions.withdraw(targetId);

/** Handles the engine's questions. If the client cannot be asked or gives an invalid answer, the answer is no. */
export const QUESTION_FRAMES: Readonly<Record<string, Handler>> = {
  approval_request(session, frame) {
    const approval = frame as unknown as Approval; // from our own engine
    const args = session.calls.describe(approval.request.toolCallId)?.args ?? {};
    const question = approvalQuestion(approval, { args, cwd: session.cwd });
    const answer = (optionId?: string) =>
      session.answer({ type: "approval_response", id: frame.id, ...approvalAnswer(optionId, approval) });
    session.questions.put(String(frame.id), (signal) => session.client.askPermission(question, signal), {
      answer,
      failed: () => answer(),
    });
  },
  approval_cancel: withdraw,
  trust_request(session, frame) {
    const answer = (optionId?: string) => {
      const { trusted, ...rest } = trustAnswer(optionId);
      closeOwnCall(session, String(frame.id), trusted);
      session.answer({ type: "trust_response", id: frame.id, trusted, ...rest });
    };
    session.questions.put(String(frame.id), (signal) => session.client.askPermission(trustQuestion(frame), signal), {
      answer,
      failed: () => answer(),
    });
  },
  trust_resolved: ({ questions }, { id }) => questions.withdraw(id),
  extension_ui_request(session, frame) {
    if (frame.method === "cancel") withdraw(session, frame);
    else if (frame.method === "notify") session.notice(notification(frame));
    else if (isDialog(frame)) dialog(session, frame);
  },
  host_fs_request(session, frame) {
    if (frame.method === "cancel") return withdraw(session, frame);
    const { client, roots } = session;
    const answer = (fields: object) => session.answer({ type: "host_fs_result", id: frame.id, ...fields });
    session.questions.put(String(frame.id), (signal) => askForFile({ client, request: frame, roots }, signal), {
      answer,
      failed: () => answer({ error: "the editor could not be asked" }),
    });
  },
  host_terminal_request(session, frame) {
    if (frame.method === "cancel") return withdraw(session, frame);
    const { client, calls } = session;
    const onCreated = (terminalId: string) => calls.inTerminal(String(frame.toolCallId), terminalId);
    const answer = (fields: object) => session.answer({ type: "host_terminal_result", id: frame.id, ...fields });
    session.questions.put(String(frame.id), (signal) => runInTerminal({ client, request: frame, onCreated }, signal), {
      answer,
      failed: () => answer({ error: "the terminal could not be asked for" }),
    });
  },
  /** Whether the client decides about previews: only if the preset asks about each change. */
  pending_action_added(session, { action }) {
    if (!session.decidesPreviews || !isRecord(action)) return;
    const info = action as unknown as PendingActionInfo; // from our own engine
    const { actionId, sourceToolName } = info;
    const toolCallId = session.calls.openOf(sourceToolName)[0] ?? actionId;
    const question = previewQuestion(info, { toolCallId, cwd: session.cwd });
    const answer = (optionId?: string) => {
      const verdict = previewVerdict(optionId);
      // The decision may have been made meanwhile. Then there is nothing to report.
      session.request({ type: "resolve_pending_action", actionId, action: verdict }).catch(() => {});
    };
    session.questions.put(actionId, (signal) => session.client.askPermission(question, signal), {
      answer,
      failed: () => answer(),
    });
  },
  pending_action_resolved: ({ questions }, { actionId }) => questions.withdraw(actionId),
};

function dialog(session: AcpSession, frame: Frame): void {
  const { client, calls, questions } = session;
  const id = String(frame.id);
  const asking = calls.openOf("ask")[0];
  const hasOwnCall = !client.able.showsForms && asking === undefined;
  const answer = (fields: object) => {
    if (hasOwnCall) closeOwnCall(session, id, !("cancelled" in fields));
    session.answer({ type: "extension_ui_response", id, ...fields });
  };
  questions.put(id, (signal) => askDialog({ client, dialog: frame, toolCallId: asking ?? id, signal }), {
    answer,
    failed: () => answer({ cancelled: true }),
  });
}

/** A question without a tool call was shown as one, which must not stay open. */
function closeOwnCall({ client }: AcpSession, toolCallId: string, isDone: boolean): void {
  client.update({ sessionUpdate: "tool_call_update", toolCallId, status: isDone ? "completed" : "failed" });
}
