import { expect, test } from "bun:test";
import { ServeProgram } from "../support/serve-program.ts";

test("a host that comes while a session is being ended for idleness waits for the next worker", async () => {
  await using served = new ServeProgram({ settings: { "serve.idleMs": 1 } });
  const host = await served.connect();
  const { data } = await host.ask({ type: "open_session" });
  const { sessionId } = data as { sessionId: string };
  await host.ask({ type: "prompt", sessionId, message: "help" });
  await host.next(({ type }) => type === "session_settled");
  for (let round = 0; round < 40; round += 1) {
    await host.ask({ type: "detach_session", sessionId });
    await Bun.sleep(round % 8); // before, during and after the end of the worker
    const opened = await host.ask({ type: "open_session", session: sessionId });
    expect(opened).toMatchObject({ success: true, data: { sessionId } });
    expect(await host.ask({ type: "get_state", sessionId })).toMatchObject({
      success: true,
      data: { messageCount: 2 },
    });
  }
}, 60_000);
