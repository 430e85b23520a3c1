// One conversation of a page with a gateway. `show` gets the whole text so far.
import { GatewayCore, webSocket } from "@pintle/client/core";

export async function openChat({ url, show, WebSocket = globalThis.WebSocket }) {
  const gateway = new GatewayCore({ connect: webSocket({ url, WebSocket }) });
  await gateway.connect();
  const session = await gateway.open({
    onApproval: async ({ request }) => (globalThis.confirm?.(`Allow ${request.title}?`) ? "allow_once" : "deny"),
  });
  return {
    /** Resolves with the result when the answer is complete. */
    async send(message) {
      const run = session.run(message);
      for await (const event of run) {
        if (event.type !== "message_update") continue;
        show(event.message.content.map((block) => (block.type === "text" ? block.text : "")).join(""));
      }
      return run.result;
    },
    async close() {
      await session.close({ abort: true });
      gateway.end();
    },
  };
}
