export { tool } from "@pintle/client/core";
export { createAgentSession } from "./embed/create-session.ts";
export { query, run } from "./embed/run.ts";
export * from "./public-exports.ts";
