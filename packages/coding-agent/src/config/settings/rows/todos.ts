import { type SettingRows, setting } from "../setting-row.ts";
import { count, flag, MAX_TIMER_SECONDS, number } from "../settings-types.ts";

/** The todo list. */
export const TODOS = {
  "todo.enabled": setting({
    type: flag,
    default: true,
    resetInRpc: true,
    project: "always",
    host: "any",
    meaning: "Offer the todo tool.",
  }),
  "todo.reminders": setting({
    type: flag,
    default: true,
    resetInRpc: true,
    project: "always",
    host: "any",
    meaning: "Remind the model of unfinished tasks when it stops.",
  }),
  "todo.reminders.max": setting({
    type: count,
    default: 3,
    resetInRpc: true,
    project: "lower",
    host: "any",
    meaning: "Maximum number of reminders about unfinished tasks per prompt.",
  }),
  "todo.eager": setting({
    type: flag,
    default: false,
    resetInRpc: true,
    project: "always",
    host: "any",
    meaning: "Have the model write a task list for the first prompt.",
  }),
  "tasks.todoClearDelay": setting({
    type: number({ max: MAX_TIMER_SECONDS }),
    default: 60,
    project: "always",
    host: "any",
    meaning:
      "Seconds after which a finished task is removed from the list; 0 means immediately, a negative number never.",
  }),
} satisfies SettingRows;
