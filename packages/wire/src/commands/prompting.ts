import { Type } from "@pintle/ai/type";
import { inputImage, trace } from "../fields.ts";
import { ref } from "../named-types.ts";
import { oneOf } from "../words.ts";
import { type FieldFault, noParams, noResult, nullable, row } from "./row.ts";

const userInput = () => Type.Object({ message: Type.String(), images: Type.Optional(Type.Array(inputImage())) });

/** The result of a run, and its time limit. */
const resultFields = () => ({
  outputSchema: Type.Optional(ref("PromptOutputSchema")),
  timeoutMs: Type.Optional(
    Type.Integer({ description: "ends the run after this wall time, waits included; 1 to 86,400,000" }),
  ),
});

/** The longest time limit that a prompt can set for its run. */
export const MAX_TIMEOUT_MS = 86_400_000;

function checkRun(run: { message: string; images?: unknown[]; timeoutMs?: number }): FieldFault | undefined {
  const { timeoutMs = 1 } = run;
  if (timeoutMs < 1 || timeoutMs > MAX_TIMEOUT_MS) {
    return { field: "timeoutMs", mustBe: `between 1 and ${MAX_TIMEOUT_MS}` };
  }
  return checkMessage(run);
}

/** Requires text or an image. */
export function checkMessage({
  message,
  images = [],
}: {
  message: string;
  images?: unknown[];
}): FieldFault | undefined {
  if (message !== "" || images.length > 0) return undefined;
  return { field: "message", mustBe: "a non-empty string" };
}

/** User input, and its removal. */
export const promptingCommands = {
  prompt: row({
    summary: "Starts a run, or with streamingBehavior queues the message for the active one.",
    params: () =>
      Type.Object({
        message: Type.String(),
        images: Type.Optional(Type.Array(inputImage())),
        streamingBehavior: Type.Optional(oneOf(["steer", "followUp"])),
        ...resultFields(),
        ...trace(),
      }),
    result: noResult,
    lane: "ordered",
    beginsRun: true,
    check: checkRun,
  }),
  steer: row({
    summary: "Queues a message for the next turn boundary; without a run it is sent with the next one.",
    params: userInput,
    result: noResult,
    lane: "ordered",
    announces: ["queue_update"],
    check: checkMessage,
  }),
  follow_up: row({
    summary: "Queues a message for the moment when the run would otherwise end.",
    params: userInput,
    result: noResult,
    lane: "ordered",
    announces: ["queue_update"],
    check: checkMessage,
  }),
  abort: row({
    summary:
      "Stops the active run and responds when the session is idle. Background jobs continue; `scope` `all` cancels them, too.",
    params: () => Type.Object({ scope: Type.Optional(oneOf(["run", "all"])) }),
    result: noResult,
    lane: "control",
    endsRuns: true,
  }),
  abort_and_prompt: row({
    summary: "Stops the active run immediately, then starts a new one.",
    params: () => Type.Object({ ...userInput().properties, ...resultFields(), ...trace() }),
    result: noResult,
    lane: "ordered",
    beginsRun: true,
    abortsOnReceipt: true,
    check: checkRun,
  }),
  set_output_schema: row({
    summary:
      "Sets the JSON Schema of the output of later prompts, or removes it if `schema` is absent. It belongs to the process, is never stored, and stays when another session is opened.",
    params: () => Type.Object({ schema: Type.Optional(ref("OutputSchema")) }),
    result: () => Type.Object({ outputSchema: nullable(ref("OutputSchema")) }),
    lane: "ordered",
  }),
  continue_run: row({
    summary:
      "Continues the last run, which was aborted, failed or lost with its process, without a new user message. Queued messages are delivered.",
    params: () => Type.Object(trace()),
    result: noResult,
    lane: "ordered",
    beginsRun: true,
  }),
  store_prompts: row({
    summary:
      "Appends prompts to the conversation that an earlier process of the session accepted and did not store. Prompts stored after `since` are not appended again. Starts no run: `continue_run` does.",
    params: () =>
      Type.Object({
        prompts: Type.Array(
          Type.Object({
            ...userInput().properties,
            outputSchema: Type.Optional(ref("OutputSchema")),
            acceptedAt: Type.Number({ description: "milliseconds since 1970; older entries are other prompts" }),
          }),
        ),
        since: Type.Optional(Type.String({ description: "the last entry before the prompts were accepted" })),
      }),
    result: () => Type.Object({ entryIds: Type.Array(Type.String()) }),
    lane: "ordered",
  }),
  clear_queue: row({
    summary: "Removes all queued messages and returns them.",
    params: noParams,
    result: () => Type.Object({ steering: Type.Array(Type.String()), followUp: Type.Array(Type.String()) }),
    lane: "ordered",
  }),
  remove_queued: row({
    summary: "Removes one queued message, by its id in `queue_update`, and returns it.",
    params: () => Type.Object({ queueId: Type.String() }),
    result: () => Type.Object({ queue: oneOf(["steering", "followUp"]), text: Type.String() }),
    lane: "ordered",
    announces: ["queue_update"],
  }),
};
