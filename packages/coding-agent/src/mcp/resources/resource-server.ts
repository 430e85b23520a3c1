/** A server, as far as its resources are concerned. */
export interface ResourceServer {
  name: string;
  /** Throws an Error whose message can be shown. */
  ask(method: string, params: Record<string, unknown>, signal: AbortSignal): Promise<Record<string, unknown>>;
}
