import { INTERRUPT_MODES, QUEUE_MODES } from "@pintle/agent";
import { type SettingRows, setting } from "../setting-row.ts";
import { count, delayMs, hostDeadline, oneOf } from "../settings-types.ts";

const queueMode = oneOf(...QUEUE_MODES);

/** How a run goes on, and what ends it. */
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
      "Whether a steering message stops a running command and skips the tool calls that have not started, or waits for the end of the turn.",
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
      "Identical tool calls in a row, with identical results, after which a run waits for a host that answers budgets, and otherwise ends with an error. Rounds of two or three calls count as well; 0 means no limit.",
  }),
  "agent.askAfterTurns": setting({
    type: count,
    default: 200,
    project: "consent",
    host: "any",
    meaning:
      "Turns of one run without user input after which a run waits for a host that answers budgets; other hosts get a notice. 0 means no limit.",
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
      "How long an endless loop of an extension or custom tool may keep the program from answering before it is ended with exit code 70; 0 switches this off.",
  }),
  "stream.idleTimeoutMs": setting({
    type: delayMs,
    default: 120_000,
    project: "consent",
    host: "any",
    meaning: "Silence of a provider after which its answer counts as failed; 0 switches this off.",
  }),
  "stream.totalTimeoutMs": setting({
    type: delayMs,
    default: 3_600_000,
    project: "consent",
    host: "any",
    meaning: "Time from a request after which an answer that is not complete counts as failed; 0 switches this off.",
  }),
  "stream.maxAnswerChars": setting({
    type: count,
    default: 0,
    project: "consent",
    host: "any",
    meaning:
      "Characters of text, thinking and arguments after which an answer counts as failed; 0 means 32 for each token that the model may write, and at least 8 Mi.",
  }),
} satisfies SettingRows;
