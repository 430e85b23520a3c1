// The schemas of the types in the main entry. They are built when this entry loads, so the start of a program must not
// import it.
export * from "./messages.ts";
export { ModelSchema, ThinkingLevelSchema } from "./model.ts";
export { AssistantUpdateEventSchema } from "./update-event-schema.ts";
