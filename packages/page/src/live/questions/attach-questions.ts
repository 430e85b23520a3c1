import type { ExtensionUiRequest, GatewaySession } from "@pintle/client/core";
import { previewQuestion } from "./preview-question.ts";
import type { Kind, Kinds } from "./question.ts";
import type { QuestionQueue } from "./question-queue.ts";

export type Announcement = Extract<
  ExtensionUiRequest,
  { method: "notify" | "setStatus" | "setWidget" | "setTitle" | "set_editor_text" }
>;

type Asked = Pick<
  GatewaySession,
  | "abort"
  | "onApproval"
  | "onBudget"
  | "onMcpAuth"
  | "onPreview"
  | "onTrustRequest"
  | "onUiRequest"
  | "getPending"
  | "getPendingFile"
  | "resolvePendingAction"
>;

/**
 * Adds a session's questions to the queue and forwards what its extensions show, as long as the session is attached: if
 * the page declared that it no longer answers, open questions would be denied.
 */
export function attachQuestions(
  session: Asked,
  queue: QuestionQueue,
  announce: (announcement: Announcement) => void,
): void {
  const ask = <K extends Kind>(kind: K, asked: Kinds[K]["asked"], signal: AbortSignal) => {
    const answer = queue.ask(kind, asked, signal);
    // A frame states how long it waits, but not since when. Until the server's response arrives, the page uses the
    // frame.
    session.getPending().then(
      ({ pending }) => queue.correct(pending),
      () => {},
    );
    return answer;
  };
  session.onApproval((request, { signal }) => ask("approval", request, signal));
  session.onPreview((preview, { signal }) => {
    const { asked, withdrawn } = previewQuestion(session, preview, signal);
    return ask("preview", asked, withdrawn);
  });
  session.onMcpAuth((login, { signal }) => ask("login", login, signal));
  session.onBudget(async (reached, { signal }) => {
    const answer = await ask("budget", reached, signal);
    if (answer !== "end_run") return answer;
    await session.abort();
    return undefined;
  });
  session.onTrustRequest(async (request, { signal }) => (await ask("trust", request, signal)) ?? false);
  session.onUiRequest((request, { signal }) => {
    if (isDialog(request)) return ask("dialog", request, signal);
    announce(request);
    return undefined;
  });
}

function isDialog(request: { method: string }): request is Kinds["dialog"]["asked"] {
  return ["select", "confirm", "input", "editor"].includes(request.method);
}
