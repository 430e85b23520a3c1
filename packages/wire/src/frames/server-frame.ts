import type { AgentSessionEvent, ConnectionEvent } from "../events/events.ts";
import type { QuestionFrame } from "./question-frames.ts";
import type { ReadyFrame } from "./ready.ts";
import type { ResponseFrame } from "./response.ts";

/** What the server writes, before the dialect of its host is applied. */
export type ServerFrame = ReadyFrame | ResponseFrame | AgentSessionEvent | ConnectionEvent | QuestionFrame;
