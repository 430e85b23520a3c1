export type { TerminalOptions, TerminalPrompt } from "./options.ts";
export { runTerminal } from "./run-terminal.ts";
