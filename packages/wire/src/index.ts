// Types, and the tables that a program reads during startup. The entry `schemas` has the schemas of the types.
export { SERVER_CAPABILITIES } from "./capabilities.ts";
export { type AnswerType, checkAnswer } from "./commands/check-answer.ts";
export { type CommandAlias, type CommandName, commands, type Params, type Result } from "./commands/commands.ts";
export type { Lane, LaneRule } from "./commands/lane.ts";
export type { ompOnlyCommands } from "./commands/omp.ts";
export { FieldError, fieldNames, parseParams } from "./commands/parse-params.ts";
export type { CommandRow } from "./commands/row.ts";
export type * from "./data/index.ts";
export { ERROR_CODES, type ErrorCode } from "./errors.ts";
export type * from "./events/events.ts";
export {
  answerWithoutQuestion,
  frameMistakes,
  type HostMistake,
  HostMistakes,
  type QuestionState,
} from "./frames/host-mistakes.ts";
export { JsonlReader, type LineListener } from "./frames/jsonl-reader.ts";
export type {
  HostToolFrame,
  QuestionFrame,
  TrustFrame,
  TrustItem,
  UiRequestFrame,
} from "./frames/question-frames.ts";
export { questionFrames } from "./frames/question-frames.ts";
export type { ReadyFrame } from "./frames/ready.ts";
export type { ResponseFrame } from "./frames/response.ts";
export type { ServerFrame } from "./frames/server-frame.ts";
export { HOST_MISTAKES, type HostMistakeCode, NOTICE_CODES } from "./notices.ts";
export { CHUNKED_PROTOCOL_VERSION, PROTOCOL_VERSION } from "./protocol-version.ts";
export {
  HOST_CAPABILITIES,
  type HostCapability,
  QUESTION_KINDS,
  QUESTIONS,
  type QuestionHandler,
  type QuestionKind,
  type QuestionRow,
} from "./questions.ts";
export { cleanSessionName } from "./session-name.ts";
export {
  APPROVAL_DECISIONS,
  BUDGET_LIMITS,
  BUDGET_SCOPES,
  COVERAGES,
  ON_BUDGET_REACHED,
  ON_CONFLICT,
  PERMISSION_MODES,
  REQUEST_KINDS,
  RULE_LAYERS,
  SANDBOX_MODES,
  SUBAGENT_LEVELS,
  TODO_STATUSES,
} from "./words.ts";
