import type { PromptResultFrame } from "@pintle/wire";
import type { CommandLinePrompt } from "../cli/prompt-words.ts";
import { settleJobs } from "../jobs/settle-jobs.ts";
import type { AgentSession } from "../session/agent-session.ts";
import type { FrameWriter } from "./frames/frame-writer.ts";
import type { Frame } from "./frames/update-frames.ts";

interface JsonModeParts {
  writer: FrameWriter;
  /** Writes an event in the reader's dialect. */
  send(event: Frame): void;
  complain: (text: string) => void;
}

/** Answers each prompt in turn and writes everything that happens, one JSON object per line. Returns the exit code. */
export async function runJsonMode(
  session: AgentSession,
  prompts: readonly CommandLinePrompt[],
  { writer, send, complain }: JsonModeParts,
): Promise<number> {
  let stopReason = "stop";
  writer.send({ ...session.manager.header });
  session.attachHost({ reader: writer });
  session.subscribe((event) => {
    send(event);
    if (event.type === "agent_end") stopReason = event.stopReason;
  });
  const lost = Promise.withResolvers<number>();
  writer.onLost = () => lost.resolve(1);
  const answered = (async () => {
    for (const prompt of prompts) {
      const finished = await session.prompting.submit({ text: prompt.text, images: prompt.images }).finished;
      await session.runs.settled(); // a slash command ends when its handler ends, and may have started a run
      const result = finished ?? session.results.without({ status: "completed" });
      const frame: PromptResultFrame = { type: "prompt_result", ...result, sessionSettled: true };
      send(frame);
      if (stopReason === "error" || stopReason === "aborted") {
        complain(`the run ended with ${stopReason}`);
        return 1;
      }
    }
    const cancelled = await settleJobs(session, session.settings.get("async.printWaitMs"));
    if (cancelled === undefined) return 0;
    complain(cancelled);
    return 1;
  })();
  return Promise.race([answered, lost.promise]);
}
