import { expect, test } from "bun:test";
import { type GatewayConnection, SimulatedGateway } from "../../src/gateway/simulated-gateway.ts";
import type { Frame } from "../../src/scenario.ts";

function stage() {
  const heard: Frame[] = [];
  const gateway = new SimulatedGateway({
    state: { model: "m" },
    onFrame: (frame) => void heard.push(frame),
    isAwaited: () => false,
  });
  const connect = () => {
    const told: Frame[] = [];
    const raw: string[] = [];
    let isCut = false;
    const connection: GatewayConnection = {
      send: (text) => void told.push(JSON.parse(text)),
      sendRaw: (text) => void raw.push(text),
      cut: () => {
        isCut = true;
      },
    };
    gateway.connected(connection);
    const say = (frame: object) => gateway.receive(connection, JSON.stringify(frame));
    return { connection, told, raw, say, isCut: () => isCut };
  };
  const emit = (frame: object) => gateway.write(`${JSON.stringify(frame)}\n`);
  return { gateway, heard, connect, emit };
}

test("frames are numbered, and a host that reconnects gets exactly what it missed", () => {
  const { gateway, connect, emit } = stage();
  const first = connect();
  first.say({ id: "1", type: "open_session" });
  emit({ type: "agent_start" });
  gateway.cutAll();
  emit({ type: "turn_start" });
  const second = connect();
  second.say({ id: "2", type: "attach_session", sessionId: "simulated", since: { epoch: "epoch-1", seq: 1 } });
  emit({ type: "agent_end" });
  expect(first.isCut()).toBe(true);
  expect(first.told.map(({ type, seq }) => [type, seq])).toEqual([
    ["server_ready", undefined],
    ["response", undefined],
    ["agent_start", 1],
  ]);
  expect(second.told.slice(1).map(({ type, seq, data }) => [type, seq, (data as Frame | undefined)?.resync])).toEqual([
    ["response", undefined, false],
    ["turn_start", 2, undefined],
    ["agent_end", 3, undefined],
  ]);
});

test("a repeated command with the same key gets its first answer and is not executed again", () => {
  const { gateway, heard, connect, emit } = stage();
  const prompt = { id: "1", type: "prompt", message: "hi", sessionId: "simulated", commandKey: "k" };
  connect().say(prompt);
  gateway.cutAll();
  emit({ id: "1", type: "response", command: "prompt", success: true });
  const back = connect();
  back.say(prompt);
  expect(heard).toHaveLength(1);
  expect(back.told.at(-1)).toMatchObject({ id: "1", type: "response", success: true, sessionId: "simulated" });
});

test("discarded frames and a new epoch produce a snapshot; a restarted server has no open session", () => {
  const { gateway, connect, emit } = stage();
  emit({ type: "message_end", message: { role: "user" } });
  gateway.forget();
  const since = { epoch: "epoch-1", seq: 0 };
  const late = connect();
  late.say({ id: "1", type: "attach_session", sessionId: "simulated", since });
  expect(late.told.slice(-2)).toMatchObject([
    { type: "response", data: { resync: true } },
    { type: "session_snapshot", entries: [{ id: "entry-1", message: { role: "user" } }], leafId: "entry-1" },
  ]);
  gateway.restart();
  const later = connect();
  expect(later.told[0]).toMatchObject({ type: "server_ready", epoch: "epoch-2" });
  later.say({ id: "2", type: "attach_session", sessionId: "simulated", since });
  expect(later.told.at(-1)).toMatchObject({ success: false, code: "not_open" });
  later.say({ id: "3", type: "open_session", session: "simulated", since });
  expect(later.told.slice(-2)).toMatchObject([{ success: true, data: { resync: true } }, { type: "session_snapshot" }]);
});

test("the state follows the frames, and raw text passes unchanged", () => {
  const { connect, emit, gateway } = stage();
  const host = connect();
  host.say({ id: "1", type: "open_session" });
  emit({ type: "agent_start" });
  host.say({ id: "2", type: "get_state", sessionId: "simulated" });
  expect(host.told.at(-1)).toMatchObject({ data: { model: "m", isStreaming: true, isSettled: false } });
  gateway.write('{"type":"not');
  expect(host.raw).toEqual(['{"type":"not']);
});
