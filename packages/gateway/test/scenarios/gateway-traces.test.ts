import { expect, test } from "bun:test";
import { startReceiver } from "../../../coding-agent/test/support/traces/receiver.ts";
import { ServeProgram } from "../support/serve-program.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const HOST_SPAN = "b7ad6b7169203331";

test("a prompt over a server is one trace: the host's span, the gateway's, and the engine's below it", async () => {
  using receiver = startReceiver();
  {
    await using served = new ServeProgram({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url } });
    const host = await served.connect();
    const { data } = await host.ask({ type: "open_session", model: "pintle/offline" });
    const { sessionId } = data as { sessionId: string };
    const traceparent = `00-${TRACE}-${HOST_SPAN}-01`;
    await host.ask({ type: "prompt", sessionId, message: "hello", traceparent });
    await host.next(({ type }) => type === "session_settled");
  }
  const gateway = receiver.span("gateway prompt");
  expect(gateway).toMatchObject({ traceId: TRACE, parentSpanId: HOST_SPAN, kind: 2 });
  expect(gateway.attributes).toMatchObject({ "pintle.command": "prompt", "pintle.outcome": "completed" });
  const run = receiver.spans.find(({ name }) => name.startsWith("invoke_agent"));
  expect(run).toMatchObject({ traceId: TRACE, parentSpanId: gateway.spanId });
});
