import { INTERRUPT_MODES, QUEUE_MODES } from "@pintle/agent";
import { type SettingRows, setting } from "../setting-row.ts";
import { count, delayMs, hostDeadline, integer, oneOf } from "../settings-types.ts";

const queueMode = oneOf(...QUEUE_MODES);

/** How a run proceeds, and what ends it. */
export const RUNS = {
  steeringMode: setting({
    type: queueMode,
    default: "one-at-a-time",
    project: "always",
    host: "any",
    meaning: "How many queued steering messages are delivered at once.",
  }),
  followUpMode: setting({
    type: queueMode,
    default: "one-at-a-time",
    project: "always",
    host: "any",
    meaning: "How many queued follow-up messages are delivered at once.",
  }),
  interruptMode: setting({
    type: oneOf(...INTERRUPT_MODES),
    default: "wait",
    project: "always",
    host: "any",
    meaning:
      "Whether a steering message skips the tool calls that have not started, or waits for the end of the turn. Running calls finish in both modes.",
  }),
  "agent.maxTurns": setting({
    type: count,
    default: 0,
    project: "consent",
    host: "any",
    meaning: "Turns after which a run ends with an error; 0 means no limit.",
  }),
  "agent.maxIdenticalCalls": setting({
    type: count,
    default: 20,
    project: "consent",
    host: "any",
    meaning:
      "Number of identical tool calls in a row with identical results after which a run pauses for a host that answers budgets, and otherwise ends with an error. Repeated rounds of two or three calls are detected too. 0 means no limit.",
  }),
  "agent.askAfterTurns": setting({
    type: count,
    default: 200,
    project: "consent",
    host: "any",
    meaning:
      "Turns without user input after which a run pauses for a host that answers budgets; other hosts get a notice. 0 means no limit.",
  }),
  "output.strategy": setting({
    type: oneOf("auto", "native", "tool"),
    default: "auto",
    project: "consent",
    host: "any",
    meaning:
      "How the model is asked for structured output: with the response format of its API (`native`) or with a tool. `auto` uses the response format where it is known to work together with tools.",
  }),
  "output.maxRepairs": setting({
    type: integer({ min: 0, max: 10 }),
    default: 2,
    project: "consent",
    host: "any",
    meaning: "Additional attempts in one run after an output that does not match its schema.",
  }),
  "agent.abortGraceMs": setting({
    type: hostDeadline,
    default: 1_000,
    project: "consent",
    host: "any",
    meaning: "How long an abort waits for a tool that does not stop.",
  }),
  "extensions.unresponsiveMs": setting({
    type: delayMs,
    default: 10_000,
    project: "consent",
    host: "any",
    meaning:
      "How long an endless loop in an extension or custom tool may block the program before it exits with code 70; 0 disables the check.",
  }),
  "stream.idleTimeoutMs": setting({
    type: delayMs,
    default: 120_000,
    project: "consent",
    host: "any",
    meaning: "Silence after which a provider's answer fails; 0 disables the limit.",
  }),
  "stream.totalTimeoutMs": setting({
    type: delayMs,
    default: 3_600_000,
    project: "consent",
    host: "any",
    meaning: "Time after which an incomplete answer fails; 0 disables the limit.",
  }),
  "stream.maxAnswerChars": setting({
    type: count,
    default: 0,
    project: "consent",
    host: "any",
    meaning:
      "Characters of text, thinking and arguments after which an answer fails; 0 means 32 per token that the model may write, and at least 8 Mi.",
  }),
} satisfies SettingRows;
