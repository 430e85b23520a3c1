/** Lets extensions talk to each other. */
export interface EventBus {
  /** Gives the function that unsubscribes. */
  on(channel: string, handler: (data: unknown) => unknown): () => void;
  emit(channel: string, data?: unknown): void;
}

/** A handler that fails, at once or later, stops neither the others nor the emitter. */
export function createEventBus(report: (channel: string, error: unknown) => void = () => {}): EventBus {
  const channels = new Map<string, Set<(data: unknown) => unknown>>();
  return {
    on(channel, handler) {
      const handlers = channels.get(channel) ?? new Set();
      channels.set(channel, handlers.add(handler));
      return () => void handlers.delete(handler);
    },
    emit(channel, data) {
      for (const handler of [...(channels.get(channel) ?? [])]) {
        try {
          Promise.resolve(handler(data)).catch((error: unknown) => report(channel, error));
        } catch (error) {
          report(channel, error);
        }
      }
    },
  };
}
