// The schemas of the types in the main entry, and the protocol as one JSON Schema. All of them are built when this
// entry loads, so the start of a program must not import it.
export * from "./data/index.ts";
export { connectionEventSchemas } from "./events/connection-events.ts";
export { gatewayEventSchemas } from "./events/gateway-events.ts";
export { runEventSchemas } from "./events/run-events.ts";
export { sessionEventSchemas } from "./events/session-events.ts";
export { answerFrames, questionFrames } from "./frames/question-frames.ts";
export { ReadySchema } from "./frames/ready.ts";
export { FailureResponseSchema } from "./frames/response.ts";
export { Definitions, type JsonSchema, refName, refTo } from "./schema/json-schema.ts";
export { type Protocol, pascal, protocolSchema, readProtocol } from "./schema/protocol.ts";
