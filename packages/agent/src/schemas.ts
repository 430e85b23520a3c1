// The schemas of the types in the main entry. They are built when this entry loads, so the start of a program must not
// import it.
export * from "./event-schemas.ts";
export * from "./messages.ts";
