import { type CallOptions, METHODS, type QuestionMethods, type RpcMethods } from "../protocol.ts";

interface Requester {
  request(frame: { type: string }, options: CallOptions): Promise<unknown>;
}

/**
 * Base class with one method per command in the table; a subclass implements how a command is sent, and the methods that
 * install handlers.
 */
export const CommandMethods = (() => {
  class Methods {}
  for (const [name, { command, fields }] of Object.entries(METHODS)) {
    const value = function (this: Requester, ...args: unknown[]) {
      const { signal, timeoutMs, ...optional } = (args[fields.length] ?? {}) as CallOptions;
      const given = Object.fromEntries(fields.map((field, index) => [field, args[index]]));
      const options = { ...(signal && { signal }), ...(timeoutMs !== undefined && { timeoutMs }) };
      return this.request({ ...optional, ...given, type: command }, options);
    };
    Object.defineProperty(Methods.prototype, name, { value, writable: true, configurable: true });
  }
  return Methods;
})() as new () => RpcMethods & QuestionMethods;
