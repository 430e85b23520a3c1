import { describe, expect, test } from "bun:test";
import { Connection } from "../../src/connections/connection.ts";
import { Connections } from "../../src/connections/connections.ts";
import { EchoHosts, FIRST, TestOutlet } from "../support/outlet.ts";

function connect({ maxQueuedBytes = 1000, transport = "socket" as "socket" | "stdio" } = {}) {
  const outlet = new TestOutlet();
  const hosts = new EchoHosts();
  let closed = 0;
  const connection = new Connection({
    id: 1,
    transport,
    outlet,
    hosts,
    epoch: "e1",
    maxQueuedBytes: transport === "stdio" ? undefined : maxQueuedBytes,
    onClosed: () => {
      closed += 1;
    },
  });
  return { outlet, hosts, connection, closedCount: () => closed };
}

const event = (seq: number, size = 100) => ({
  json: JSON.stringify({ type: "notice", text: "x".repeat(size), sessionId: "s", seq }),
  sessionId: "s",
  seq,
});

describe("a connection", () => {
  test("begins with server_ready, and carries lines in and frames out", () => {
    const { outlet, connection, hosts } = connect();
    connection.receive("hello");
    expect(outlet.read).toEqual([FIRST, '{"type":"echo","line":"hello"}']);
    expect(hosts.received).toEqual(["hello"]);
  });

  test("writes on where it stopped when the host reads again", () => {
    const { outlet, connection } = connect();
    outlet.isReading = false;
    for (const seq of [1, 2, 3]) connection.send(event(seq));
    expect(outlet.frames().map(({ seq }) => seq)).toEqual([undefined, 1]);
    outlet.isReading = true;
    connection.drained();
    expect(outlet.frames().map(({ seq }) => seq)).toEqual([undefined, 1, 2, 3]);
  });

  test("that leaves too much unread is sent its cursor and dropped, once", async () => {
    const { outlet, connection, hosts } = connect();
    outlet.isReading = false;
    for (let seq = 1; seq <= 50; seq += 1) connection.send(event(seq));
    expect(outlet.frames().slice(2)).toEqual([{ type: "lagged", sessionId: "s", cursor: { epoch: "e1", seq: 1 } }]);
    expect(outlet.ended).toEqual(["lagged"]);
    await Promise.resolve();
    expect({ closed: hosts.closed, isLagged: connection.isLagged }).toEqual({ closed: 1, isLagged: true });
    connection.receive("not heard any more");
    connection.closed();
    expect({ closed: hosts.closed, received: hosts.received }).toEqual({ closed: 1, received: [] });
  });

  test("on stdio is never dropped: its sessions wait until it reads", async () => {
    const { outlet, connection } = connect({ transport: "stdio" });
    expect(connection.backPressure()).toBeUndefined();
    outlet.isReading = false;
    for (let seq = 1; seq <= 20; seq += 1) connection.send(event(seq, 100_000));
    const relief = connection.backPressure();
    expect(relief).toBeInstanceOf(Promise);
    outlet.isReading = true;
    connection.drained();
    await relief;
    expect(connection.backPressure()).toBeUndefined();
    expect(outlet.frames().at(-1)?.seq).toBe(20);
  });

  test("whose host goes while its sessions wait lets them go on", async () => {
    const { outlet, connection, hosts, closedCount } = connect({ transport: "stdio" });
    outlet.isReading = false;
    for (let seq = 1; seq <= 20; seq += 1) connection.send(event(seq, 100_000));
    const relief = connection.backPressure();
    connection.closed();
    await relief;
    expect({ closed: hosts.closed, told: closedCount() }).toEqual({ closed: 1, told: 1 });
  });

  test("answers a frame that is too long", () => {
    const { outlet, connection } = connect();
    connection.refuse("the frame is longer than 10 bytes");
    expect(outlet.frames().at(-1)).toEqual({
      type: "response",
      command: "parse",
      success: false,
      code: "invalid_request",
      error: "the frame is longer than 10 bytes",
    });
  });
});

describe("all connections", () => {
  const limits = { maxConnections: 2, maxQueuedBytes: 1000 };

  test("are counted, and no more than allowed are accepted", () => {
    const connections = new Connections({ hosts: new EchoHosts(), limits, epoch: "e" });
    const first = connections.open("socket", new TestOutlet());
    connections.open("websocket", new TestOutlet()).receive("hi");
    expect(connections.hasRoom()).toBe(false);
    first.closed();
    expect(connections.hasRoom()).toBe(true);
    expect(connections.figures()).toMatchObject({
      open: { stdio: 0, socket: 0, websocket: 1 },
      accepted: 2,
      refused: 1,
      lagged: 0,
      framesIn: 1,
      framesOut: 3,
    });
  });

  test("one that does not read has no effect on the others", () => {
    const hosts = new EchoHosts();
    const connections = new Connections({ hosts, limits, epoch: "e" });
    const [stuck, reading] = [new TestOutlet(), new TestOutlet()];
    stuck.isReading = false;
    connections.open("websocket", stuck);
    connections.open("websocket", reading);
    for (let seq = 1; seq <= 100; seq += 1) for (const host of hosts.hosts) host.send(event(seq));
    expect(
      reading
        .frames()
        .slice(1)
        .map(({ seq }) => seq),
    ).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
    expect(stuck.ended).toEqual(["lagged"]);
    expect(connections.figures().lagged).toBe(1);
  });
});
