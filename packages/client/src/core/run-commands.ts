/** They begin a run: accepted at once, and a second, failing answer is possible. */
export const BEGINS_RUN: ReadonlySet<string> = new Set(["prompt", "abort_and_prompt", "continue_run"]);
