// The schemas behind the types of the main entry. They are built when this entry is loaded, so the start of a program must
// not import it.
export * from "./event-schemas.ts";
export * from "./messages.ts";
