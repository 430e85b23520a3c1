import { Type } from "@pintle/ai/type";
import { inputImage, trace } from "../fields.ts";
import { oneOf } from "../words.ts";
import { type FieldFault, noParams, noResult, row } from "./row.ts";

const userInput = () => Type.Object({ message: Type.String(), images: Type.Optional(Type.Array(inputImage())) });

function hasContent({ message, images = [] }: { message: string; images?: unknown[] }): FieldFault | undefined {
  if (message !== "" || images.length > 0) return undefined;
  return { field: "message", mustBe: "a non-empty string" };
}

/** What a user says, and taking it back. */
export const promptingCommands = {
  prompt: row({
    summary: "Start a run, or with streamingBehavior queue the message for the active one.",
    params: () =>
      Type.Object({
        message: Type.String(),
        images: Type.Optional(Type.Array(inputImage())),
        streamingBehavior: Type.Optional(oneOf(["steer", "followUp"])),
        ...trace(),
      }),
    result: noResult,
    lane: "ordered",
    beginsRun: true,
    check: hasContent,
  }),
  steer: row({
    summary: "Queue a message for the next turn boundary; without a run it goes out with the next one.",
    params: userInput,
    result: noResult,
    lane: "ordered",
    announces: ["queue_update"],
    check: hasContent,
  }),
  follow_up: row({
    summary: "Queue a message for the moment when the run would otherwise end.",
    params: userInput,
    result: noResult,
    lane: "ordered",
    announces: ["queue_update"],
    check: hasContent,
  }),
  abort: row({
    summary: "Stop the active run and answer when the session is idle.",
    params: noParams,
    result: noResult,
    lane: "control",
    endsRuns: true,
  }),
  abort_and_prompt: row({
    summary: "Stop the active run at once, then start a new one.",
    params: () => Type.Object({ ...userInput().properties, ...trace() }),
    result: noResult,
    lane: "ordered",
    beginsRun: true,
    abortsOnReceipt: true,
    check: hasContent,
  }),
  continue_run: row({
    summary:
      "Go on with the last run, which was aborted, failed or lost with its process, without a new message of the user. Messages that wait are delivered.",
    params: () => Type.Object(trace()),
    result: noResult,
    lane: "ordered",
    beginsRun: true,
  }),
  store_prompts: row({
    summary:
      "Append prompts to the conversation that an earlier process of the session accepted and did not store; none that is stored after `since` is appended again. Starts no run: `continue_run` does.",
    params: () =>
      Type.Object({
        prompts: Type.Array(
          Type.Object({
            ...userInput().properties,
            acceptedAt: Type.Number({ description: "milliseconds since 1970; older entries are other prompts" }),
          }),
        ),
        since: Type.Optional(Type.String({ description: "the last entry before the prompts were accepted" })),
      }),
    result: () => Type.Object({ entryIds: Type.Array(Type.String()) }),
    lane: "ordered",
  }),
  clear_queue: row({
    summary: "Remove all queued messages and give back their texts.",
    params: noParams,
    result: () => Type.Object({ steering: Type.Array(Type.String()), followUp: Type.Array(Type.String()) }),
    lane: "ordered",
  }),
  remove_queued: row({
    summary: "Take back one queued message, by its id in `queue_update`, and give back its text.",
    params: () => Type.Object({ queueId: Type.String() }),
    result: () => Type.Object({ queue: oneOf(["steering", "followUp"]), text: Type.String() }),
    lane: "ordered",
    announces: ["queue_update"],
  }),
};
