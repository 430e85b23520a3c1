import { type LocalPrompt, localPrompt, toJsonSchema } from "@pintle/client/core";
import type { AgentSession } from "../session/agent-session.ts";

export interface TypedPrompt {
  /**
   * Resolves with the result when the run is over, even if it was aborted or failed. Rejects while another run is active, unless
   * `streamingBehavior` queues the message.
   */
  prompt: LocalPrompt;
}

/** A session in this process. Its `prompt` returns the same result as a client. */
export type EmbeddedSession = TypedPrompt & AgentSession;

/** Lets `prompt` take any schema and return what a client returns. `outputSchema` is the default of the session. */
export async function withTypedPrompt(session: AgentSession, outputSchema?: object): Promise<EmbeddedSession> {
  const jsonSchema = outputSchema && toJsonSchema(outputSchema, "outputSchema");
  if (jsonSchema) await session.output.setDefault(jsonSchema);
  const untyped = session.prompt.bind(session);
  const prompt = localPrompt({
    place: () => {
      const { sessionId, sessionFile } = session;
      return { sessionId, ...(sessionFile !== undefined && { sessionFile }) };
    },
    subscribe: (listener) => session.subscribe(listener),
    prompt: untyped,
    abort: () => session.abort(),
    // Another default may have been set in the meantime.
    outputSchema: () => (session.output.default?.schema === jsonSchema ? outputSchema : undefined),
  });
  return Object.assign(session, { prompt });
}
