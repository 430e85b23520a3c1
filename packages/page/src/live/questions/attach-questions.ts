import type { ExtensionUiRequest, QuestionContext } from "@pintle/client/core";
import { KINDS, kindOf } from "./kinds.ts";
import type { AskingSession, Kind, Kinds } from "./question.ts";
import type { QuestionQueue } from "./question-queue.ts";

export type Announcement = Extract<
  ExtensionUiRequest,
  { method: "notify" | "setStatus" | "setWidget" | "setTitle" | "set_editor_text" }
>;

/** The methods that install handlers have the same shape, whatever they ask. */
type Install = (handler: (request: unknown, context: QuestionContext) => Promise<unknown>) => void;

/**
 * Adds what a session asks to the queue and passes on what its extensions show, as long as the session is attached: if
 * the page declared that it no longer answers, open questions would be denied.
 */
export function attachQuestions(
  session: AskingSession,
  queue: QuestionQueue,
  announce: (announcement: Announcement) => void,
): void {
  for (const kind of Object.keys(KINDS) as Kind[]) {
    const { method, isQuestion, open, toAnswer = (answer) => answer } = kindOf(kind);
    const install = session[method].bind(session) as Install;
    install(async (request, { signal }) => {
      if (isQuestion?.(request) === false) return announce(request as Announcement); // the other requests of extensions
      const { asked, withdrawn } = open?.(request, session, signal) ?? { asked: request, withdrawn: signal };
      const answer = queue.ask(kind, asked as Kinds[Kind]["asked"], withdrawn); // the method selects the type
      // A frame states how long it waits, but not since when. Until the server's response arrives, the page uses the
      // frame.
      session.getPending().then(
        ({ pending }) => queue.correct(pending),
        () => {},
      );
      return toAnswer(await answer, session);
    });
  }
}
