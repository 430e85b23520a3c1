import { isRecord } from "@pintle/ai";
import { CommandError } from "@pintle/gateway";
import { type PendingActionInfo, QUESTION_KINDS, QUESTIONS, type QuestionKind, type QuestionRow } from "@pintle/wire";
import type { Frame } from "../gateway-link.ts";
import { type Approval, approvalAnswer, approvalQuestion } from "../questions/approvals.ts";
import { askDialog } from "../questions/dialogs.ts";
import { askForFile } from "../questions/files.ts";
import { askPreview, type PreviewDecision } from "../questions/previews.ts";
import { runInTerminal } from "../questions/terminals.ts";
import { trustAnswer, trustQuestion } from "../questions/trust.ts";
import { notification } from "../updates/notices.ts";
import type { AcpSession } from "./acp-session.ts";

type Handler = (session: AcpSession, frame: Frame) => void;

/** A question that is put to the client. */
interface ClientQuestion {
  /** Resolves with the fields of the answer to the engine. */
  ask(signal: AbortSignal): Promise<object>;
  /** Those fields if the client could not be asked. */
  failed: object;
  /** Called before the answer is sent. */
  onAnswer?(fields: object): void;
}

/** The kinds that a client can answer. If it cannot be asked or gives an invalid answer, the answer is no. */
const KINDS: { [K in QuestionKind]?: (session: AcpSession, request: Frame) => ClientQuestion } = {
  approval,
  trust,
  dialog,
  host_fs: ({ client, roots }, request) => ({
    ask: (signal) => askForFile({ client, request, roots }, signal),
    failed: { error: "the editor could not be asked" },
  }),
  host_terminal: ({ client, calls }, request) => ({
    ask(signal) {
      const onCreated = (terminalId: string) => calls.inTerminal(String(request.toolCallId), terminalId);
      return runInTerminal({ client, request, onCreated }, signal);
    },
    failed: { error: "the terminal could not be asked for" },
  }),
};

const withdraw: Handler = ({ questions }, { targetId }) => questions.withdraw(targetId);

/** Handles the frames of a kind of question: its requests, and what withdraws them. */
function frameHandlers(kind: QuestionKind): [type: string, handler: Handler][] {
  const { request, answer: type, cancel, resolved, methods }: QuestionRow = QUESTIONS[kind];
  const open = KINDS[kind];
  if (!open || !request || !type) return [];
  const onRequest: Handler = (session, frame) => {
    if (frame.method === "cancel") return withdraw(session, frame);
    if (methods && !methods.includes(String(frame.method))) return informed(session, frame);
    const { ask, failed, onAnswer } = open(session, frame);
    const answer = (fields: object) => {
      onAnswer?.(fields);
      session.answer({ type, id: frame.id, ...fields });
    };
    session.questions.put(String(frame.id), ask, { answer, failed: () => answer(failed) });
  };
  const onResolved: Handler = ({ questions }, { id }) => questions.withdraw(id);
  return [
    ...(cancel ? [[cancel.type, withdraw] as [string, Handler]] : []),
    ...(resolved ? [[resolved, onResolved] as [string, Handler]] : []),
    [request, onRequest],
  ];
}

/** The requests of extensions that only inform. */
function informed(session: AcpSession, frame: Frame): void {
  if (frame.method === "notify") session.notice(notification(frame));
}

export const QUESTION_FRAMES: Readonly<Record<string, Handler>> = {
  ...Object.fromEntries(QUESTION_KINDS.flatMap(frameHandlers)),
  /** Whether the client decides about previews: only if the preset asks about each change. */
  pending_action_added(session, { action }) {
    if (!session.decidesPreviews || !isRecord(action)) return;
    const info = action as unknown as PendingActionInfo; // from our own engine
    const { actionId, sourceToolName } = info;
    const toolCallId = session.calls.openOf(sourceToolName)[0] ?? actionId;
    const call = { toolCallId, cwd: session.cwd };
    const ask = () => {
      const answer = (decision: PreviewDecision) => {
        session.request({ type: "resolve_pending_action", actionId, ...decision }).catch((error: unknown) => {
          // Otherwise the decision was made elsewhere, and there is nothing to report.
          if (!(error instanceof CommandError) || error.code !== "conflict") return;
          session.notice({ severity: "warning", title: error.message, mustBeSeen: true });
          ask();
        });
      };
      session.questions.put(actionId, (signal) => askPreview({ client: session.client, action: info, call, signal }), {
        answer,
        failed: () => answer({ action: "discard" }),
      });
    };
    ask();
  },
  pending_action_resolved: ({ questions }, { actionId }) => questions.withdraw(actionId),
};

function approval({ calls, client, cwd }: AcpSession, frame: Frame): ClientQuestion {
  const approval = frame as unknown as Approval; // from our own engine
  const args = calls.describe(approval.request.toolCallId)?.args ?? {};
  const question = approvalQuestion(approval, { args, cwd });
  return {
    ask: async (signal) => approvalAnswer(await client.askPermission(question, signal), approval),
    failed: approvalAnswer(undefined, approval),
  };
}

function trust(session: AcpSession, frame: Frame): ClientQuestion {
  const { client } = session;
  return {
    ask: async (signal) => trustAnswer(await client.askPermission(trustQuestion(frame), signal)),
    failed: trustAnswer(undefined),
    onAnswer: (fields) => closeOwnCall(session, String(frame.id), Reflect.get(fields, "trusted") === true),
  };
}

function dialog(session: AcpSession, frame: Frame): ClientQuestion {
  const { client, calls } = session;
  const id = String(frame.id);
  const asking = calls.openOf("ask")[0];
  const hasOwnCall = !client.able.showsForms && asking === undefined;
  return {
    ask: (signal) => askDialog({ client, dialog: frame, toolCallId: asking ?? id, signal }),
    failed: { cancelled: true },
    onAnswer(fields) {
      if (hasOwnCall) closeOwnCall(session, id, !("cancelled" in fields));
    },
  };
}

/** A question without a tool call was shown as one, which must not stay open. */
function closeOwnCall({ client }: AcpSession, toolCallId: string, isDone: boolean): void {
  client.update({ sessionUpdate: "tool_call_update", toolCallId, status: isDone ? "completed" : "failed" });
}
