/** Commands that start a run: acknowledged immediately, and a second, failed response may follow. */
export const BEGINS_RUN: ReadonlySet<string> = new Set(["prompt", "abort_and_prompt", "continue_run"]);
