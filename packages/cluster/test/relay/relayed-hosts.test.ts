import { expect, test } from "bun:test";
import { type Cursor, open, prompt, textOf } from "../../../gateway/test/support/session-talk.ts";
import { isType } from "../../../gateway/test/support/test-host.ts";
import { NodeLinks } from "../../src/relay/entry/node-links.ts";
import { CLUSTER_TOKEN, linkedNodes } from "../support/linked-nodes.ts";

const TOOL = { name: "t", description: "A tool", parameters: { type: "object" } };

async function ownedByFirst(count = 2) {
  const linked = await linkedNodes(count);
  const [owner, entry] = linked.nodes;
  const direct = owner!.host();
  const sessionId = await open(direct);
  linked.owners.set(sessionId, "n1");
  return { linked, owner: owner!, entry: entry!, direct, sessionId, relayed: entry!.host() };
}

test("attaches to, prompts and detaches from a session of another node like a local one", async () => {
  const { linked, direct, relayed, sessionId } = await ownedByFirst();
  await using _ = linked;
  const { cursor } = await relayed.get<{ cursor: Cursor }>({ type: "attach_session", sessionId });
  expect(cursor.epoch).toBe(linked.nodes[0]!.gateway.epoch);
  expect(await prompt(relayed, sessionId, "say hello there")).toBe("hello there");
  await direct.until(isType("session_settled"));
  expect(relayed.events(sessionId).map(({ seq, type }) => [seq, type])).toEqual(
    direct
      .events(sessionId)
      .filter(({ seq }) => (seq as number) > cursor.seq)
      .map(({ seq, type }) => [seq, type]),
  );
  expect(await relayed.ask({ type: "detach_session", sessionId })).toMatchObject({ success: true });
  expect(await relayed.ask({ type: "prompt", sessionId, message: "x" })).toMatchObject({ code: "not_attached" });
});

test("pipelined commands keep their order while the owner is looked up", async () => {
  const { linked, relayed, sessionId } = await ownedByFirst();
  await using _ = linked;
  relayed.write({ type: "set_update_mode", mode: "delta", id: "1" });
  relayed.write({ type: "attach_session", sessionId, id: "2" });
  relayed.write({ type: "set_update_mode", mode: "full", id: "3" });
  relayed.write({ type: "prompt", sessionId, message: "deltas 3", id: "4" });
  await relayed.until(isType("session_settled"));
  const answered = relayed.frames.filter(isType("response")).map(({ id, success }) => [id, success]);
  expect(answered.sort()).toEqual([
    ["1", true],
    ["2", true],
    ["3", true],
    ["4", true],
  ]);
  // The last setting applies to what follows, as on a direct connection.
  expect(relayed.frames.find(isType("message_update"))).toMatchObject({ message: { content: [{ type: "text" }] } });
});

test("connection-wide settings also apply to sessions of other nodes", async () => {
  const { linked, relayed, sessionId } = await ownedByFirst();
  await using _ = linked;
  await relayed.get({ type: "attach_session", sessionId });
  await relayed.get({ type: "set_update_mode", mode: "delta" });
  await prompt(relayed, sessionId, "deltas 2");
  expect(relayed.frames.findLast(isType("message_update"))).toMatchObject({ message: { content: [] } });
});

test("tools and questions of a relayed host work, and are removed with the host", async () => {
  const { linked, direct, relayed, sessionId } = await ownedByFirst();
  await using _ = linked;
  await relayed.get({ type: "attach_session", sessionId });
  await relayed.get({ type: "set_host_tools", sessionId, tools: [TOOL] });
  expect(await direct.ask({ type: "set_host_tools", sessionId, tools: [TOOL] })).toMatchObject({ code: "busy" });
  relayed.write({ type: "prompt", sessionId, message: "call t" });
  const call = await relayed.until(isType("host_tool_call"));
  relayed.write({
    type: "host_tool_result",
    sessionId,
    id: call.id,
    result: { content: [{ type: "text", text: "r" }] },
  });
  const settled = await relayed.until(isType("session_settled"));
  const answer = relayed.frames.findLast(
    (frame) => frame.type === "message_end" && (frame.seq as number) < (settled.seq as number),
  );
  expect(textOf(answer!)).toBe("r");
  await relayed.get({ type: "set_host_capabilities", sessionId, ui: true });
  relayed.write({ type: "prompt", sessionId, message: "confirm" });
  const question = await relayed.until(isType("extension_ui_request"));
  relayed.write({ type: "extension_ui_response", sessionId, id: question.id, confirmed: true });
  await relayed.until((frame) => frame.type === "message_end" && textOf(frame) === "confirmed true");
  relayed.leave();
  await linked.nodes[0]!.until(() => linked.nodes[0]!.gateway.state().connections === 1, "the relayed host to be gone");
  const own = { type: "set_host_tools", sessionId, tools: [TOOL] };
  expect(await direct.ask(own)).toMatchObject({ success: true });
});

test("opening a session that another node has open attaches to it there; a copy of it is received the same way", async () => {
  const { linked, owner, entry, relayed, sessionId } = await ownedByFirst();
  await using _ = linked;
  const opened = await relayed.get<{ sessionId: string }>({ type: "open_session", session: sessionId });
  expect(opened.sessionId).toBe(sessionId);
  const beside = await relayed.get<{ sessionId: string }>({ type: "new_session", sessionId });
  expect(await prompt(relayed, beside.sessionId, "say beside")).toBe("beside");
  expect(owner.gateway.state().sessions.idle).toBe(2);
  expect(entry.gateway.state().workers).toBe(0);
});

test("a new session is opened on a node that has its labels", async () => {
  await using linked = await linkedNodes(3);
  linked.labels.set("n3", ["gpu"]);
  const host = linked.nodes[0]!.host();
  const { sessionId } = await host.get<{ sessionId: string }>({ type: "open_session", labels: ["gpu"] });
  expect(linked.nodes[2]!.gateway.state().workers).toBe(1);
  expect(await prompt(host, sessionId, "say there")).toBe("there");
});

test("one link relays all hosts, and a host that reconnects receives what it missed", async () => {
  const { linked, owner, entry, direct, relayed, sessionId } = await ownedByFirst();
  await using _ = linked;
  const { cursor } = await relayed.get<{ cursor: object }>({ type: "attach_session", sessionId });
  relayed.leave();
  await prompt(direct, sessionId, "say missed");
  const back = entry.host();
  expect(await back.get({ type: "attach_session", sessionId, since: cursor })).toMatchObject({ resync: false });
  const other = entry.host();
  expect(await other.get({ type: "attach_session", sessionId, since: { epoch: "?", seq: 0 } })).toMatchObject({
    resync: true,
  });
  await back.until((frame) => frame.type === "message_end" && textOf(frame) === "missed");
  await other.until(isType("session_snapshot"));
  expect(owner.gateway.state().connections).toBe(3);
});

test("when the owner is lost, hosts receive session_moved, open commands fail, and the session continues here from the cursor", async () => {
  const { linked, owner, entry, relayed, sessionId } = await ownedByFirst();
  await using _ = linked;
  await relayed.get({ type: "attach_session", sessionId });
  expect(await prompt(relayed, sessionId, "say before")).toBe("before");
  const { cursor } = relayed.frames.findLast(isType("agent_settled"))!;
  const lost = relayed.ask({ type: "bash", sessionId, command: "sleep 60" });
  await relayed.get({ type: "get_state", sessionId });
  entry.links.close(); // as if a node were killed: the link ends without a close frame
  expect(await lost).toMatchObject({ success: false, code: "session_moved" });
  await relayed.until(isType("session_moved"));
  await owner.gateway.close();
  linked.owners.delete(sessionId);
  expect(await relayed.ask({ type: "attach_session", sessionId })).toMatchObject({ code: "not_open" });
  const opened = await relayed.get({ type: "open_session", session: sessionId, since: cursor });
  expect(opened).toMatchObject({ sessionId, resync: true });
  const { entries } = await relayed.until(isType("session_snapshot"));
  expect(entries).toMatchObject([{ message: { role: "bashExecution", cancelled: true } }]);
  expect(await prompt(relayed, sessionId, "say after")).toBe("after");
});

test("the session limit of a host also applies on other nodes", async () => {
  const linked = await linkedNodes(2, { limits: { ...LIMITS_OF_ONE } });
  await using _ = linked;
  const first = linked.nodes[0]!.host();
  const sessionId = await open(first);
  linked.owners.set(sessionId, "n1");
  const host = linked.nodes[1]!.host();
  await open(host);
  expect(await host.ask({ type: "attach_session", sessionId })).toMatchObject({ code: "busy" });
});

const LIMITS_OF_ONE = {
  maxConnections: 100,
  maxWorkers: 8,
  maxFrameBytes: 1024 * 1024,
  maxQueuedBytes: 1024 * 1024,
  maxInFlight: 100,
  maxSessionsPerConnection: 1,
};

test("commands that wait for the owner count against the limit of commands in flight", async () => {
  await using linked = await linkedNodes(2, { limits: { ...LIMITS_OF_ONE, maxInFlight: 3 } });
  const host = linked.nodes[0]!.host();
  for (let at = 0; at < 5; at += 1) host.write({ type: "attach_session", sessionId: "absent", id: at });
  await host.until(({ id }) => id === 2);
  const codes = host.frames.filter(isType("response")).map(({ id, code }) => [id, code]);
  expect(codes.sort()).toEqual([
    [0, "not_open"],
    [1, "not_open"],
    [2, "not_open"],
    [3, "busy"],
    [4, "busy"],
  ]);
  expect(await host.ask({ type: "attach_session", sessionId: "absent" })).toMatchObject({ code: "not_open" });
});

test("host tokens do not open node connections, nor node tokens host connections; pages are refused", async () => {
  await using linked = await linkedNodes(1);
  const { address } = linked.nodes[0]!;
  const status = async (path: string, headers: Record<string, string>) =>
    (await fetch(`http://${address}${path}`, { headers })).status;
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const clusterToken = "a-token-that-only-the-nodes-of-a-cluster-have";
  const hostToken = "a-token-of-more-than-thirty-two-characters";
  expect(await status("/node", bearer(clusterToken))).toBe(426);
  expect(await status("/node", { ...bearer(clusterToken), origin: `http://${address}` })).toBe(403);
  expect(await status("/node", bearer(hostToken))).toBe(401);
  expect(await status("/ws", bearer(clusterToken))).toBe(401);
  expect(await status("/ws", bearer(hostToken))).toBe(426);
});

test("a link begins with the id and the version of the node, and another version is reported", async () => {
  await using linked = await linkedNodes(1);
  const reported: string[] = [];
  const links = new NodeLinks({
    token: CLUSTER_TOKEN,
    maxUnread: 1024,
    silentMs: 5_000,
    version: "9.9.9",
    report: (text) => reported.push(text),
  });
  const { address } = linked.nodes[0]!;
  expect((await links.to(address)).nodeId).toBe("n1");
  expect(reported).toEqual([`the node at ${address} runs pintle 0.0.0, this one 9.9.9`]);
  links.close();
});
