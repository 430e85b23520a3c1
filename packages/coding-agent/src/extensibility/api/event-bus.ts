/** Lets extensions talk to each other. */
export interface EventBus {
  /** Returns a function that unsubscribes the handler. */
  on(channel: string, handler: (data: unknown) => unknown): () => void;
  emit(channel: string, data?: unknown): void;
}

/** Creates a bus on which a failing handler affects neither the other handlers nor the emitter. */
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
