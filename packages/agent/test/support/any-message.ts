import fc from "fast-check";
import type { AgentMessage } from "../../src/messages.ts";
import { type SyntheticSource, syntheticResult } from "../../src/tool-result.ts";
import { assistant, call, result, text } from "./messages.ts";

// Few ids, so that calls and results match, miss each other and repeat.
const id = fc.constantFrom("a", "b", "c", "d");
const word = fc.constantFrom("", "x", "y\n", "🙂");

const content = fc.array(
  fc.oneof(
    id.map((value) => call(value)),
    word.map(text),
    word.map((thinking) => ({ type: "thinking" as const, thinking, thinkingSignature: "s" })),
    fc.constant({ type: "redactedThinking" as const, data: "r" }),
  ),
  { maxLength: 4 },
);

const picture = { type: "image" as const, data: "aGk=", mimeType: "image/png" };
const input = fc.oneof(
  word,
  fc.array(
    fc.oneof(
      word.map((value) => ({ type: "text" as const, text: value })),
      fc.constant(picture),
    ),
    { maxLength: 2 },
  ),
);

const source = fc.constantFrom<SyntheticSource>("aborted", "error", "length", "skipped");
const timestamp = fc.nat(99);

/** A message of any role, good or broken. */
export const anyMessage: fc.Arbitrary<AgentMessage> = fc.oneof(
  fc.record({ role: fc.constant("user" as const), content: input, timestamp }),
  fc.record({ role: fc.constant("developer" as const), content: input, timestamp }),
  fc
    .tuple(content, fc.constantFrom("stop", "length", "toolUse", "error", "aborted"), timestamp)
    .map(([blocks, stopReason, time]) => assistant(blocks, { stopReason: stopReason as never, timestamp: time })),
  fc.tuple(id, word, timestamp).map(([callId, value, time]) => result(callId, value, { timestamp: time })),
  fc.tuple(id, source, fc.boolean(), timestamp).map(([callId, from, executed, time]) =>
    result(callId, "made up", {
      isError: true,
      details: syntheticResult("", from, executed).details,
      timestamp: time,
    }),
  ),
  fc.record({
    role: fc.constant("custom" as const),
    customType: word,
    content: input,
    display: fc.boolean(),
    timestamp,
  }),
  fc.record({
    role: fc.constant("bashExecution" as const),
    command: word,
    output: word,
    cancelled: fc.boolean(),
    truncated: fc.boolean(),
    excludeFromContext: fc.boolean(),
    timestamp,
  }),
  fc.record({ role: fc.constant("branchSummary" as const), summary: word, fromId: word, timestamp }),
  fc.record({ role: fc.constant("compactionSummary" as const), summary: word, tokensBefore: fc.nat(), timestamp }),
);
