/** How many messages of a queue are delivered at once. */
export const QUEUE_MODES = ["all", "one-at-a-time"] as const;

/** Whether steering cuts a batch of tool calls short or waits for the end of the turn. */
export const INTERRUPT_MODES = ["immediate", "wait"] as const;
