import { expect, test } from "bun:test";
import { cursor, opened, STATE, snapshot } from "../../support/scripted-gateway.ts";
import { agentEnd, SETTLED, START } from "../../support/scripted-server.ts";

const RUNNING = { ...STATE, isStreaming: true, isSettled: false };
const MOVED = { type: "session_moved", sessionId: "s1" };

test("reattaches on the same connection, from the cursor, when a session moves to another node", async () => {
  const { client, connection, session } = await opened({ node: "n1" });
  const seen: string[] = [];
  session.onEvent(({ type }) => seen.push(type));
  connection.say(connection.event(1, { type: "turn_start" }), MOVED);
  expect(session.isAway).toBe(true);
  const attach = await connection.next("attach_session");
  expect(attach).toMatchObject({ sessionId: "s1", since: cursor(1) });
  connection.say(connection.fail(attach, "It is stored", "not_open"));
  const open = await connection.next("open_session", 2);
  expect(open).toMatchObject({ session: "s1", since: cursor(1) });
  connection.say(connection.ok(open, { sessionId: "s1", state: STATE, cursor: cursor(1), resync: true }));
  connection.say(snapshot(cursor(5, "other")), connection.event(6, { type: "queue_update" }));
  expect(seen).toEqual(["turn_start", "session_moved", "session_snapshot", "queue_update"]);
  expect({ isAway: session.isAway, cursor: session.cursor }).toEqual({ isAway: false, cursor: cursor(6, "other") });
  client.end();
});

test("retries while no node has the session yet", async () => {
  const { client, connection, session } = await opened({ node: "n1" });
  connection.say(MOVED);
  connection.say(connection.fail(await connection.next("attach_session"), "not yet", "busy"));
  connection.say(connection.fail(await connection.next("attach_session", 2), "It is stored", "not_open"));
  connection.say(connection.fail(await connection.next("open_session", 2), "elsewhere", "other_node"));
  connection.say(connection.ok(await connection.next("attach_session", 3), { cursor: cursor(0), resync: false }));
  expect(session.isAway).toBe(false);
  client.end();
});

test("resends a prompt without a response under its key; other commands fail, because they may have run", async () => {
  const { client, connection, session } = await opened({ node: "n1" });
  const run = session.run("hello");
  const prompt = await connection.next("prompt");
  const bash = session.bash("make");
  const command = await connection.next("bash");
  const moved = (frame: Record<string, unknown>) => connection.fail(frame, "The node is gone", "session_moved");
  connection.say(MOVED, moved(prompt), moved(command));
  const attach = await connection.next("attach_session");
  connection.say(connection.ok(attach, { cursor: cursor(0), resync: true }), snapshot(cursor(2, "other")));
  const again = await connection.next("prompt", 2);
  expect(again).toEqual(prompt);
  await expect(bash).rejects.toMatchObject({ code: "worker_exited" });
  expect(connection.all("bash").length).toBe(1);
  connection.say(connection.ok(again), connection.ok(await connection.next("get_state"), RUNNING));
  const frames = [START, agentEnd("done"), SETTLED, { type: "prompt_result", id: prompt.id, status: "completed" }];
  connection.say(...frames.map((frame, at) => connection.event(3 + at, { agentInvoked: true, ...frame })));
  expect(await run.result).toMatchObject({ text: "done" });
  client.end();
});

test("resends every command that starts a run under its key once the session is open elsewhere", async () => {
  for (const type of ["continue_run", "abort_and_prompt"] as const) {
    const { client, connection, session } = await opened({ node: "n1" });
    const going = type === "continue_run" ? session.continueRun() : session.abortAndPrompt("hello");
    const command = await connection.next(type);
    connection.say(MOVED, connection.fail(command, "The node is gone", "session_moved"));
    const attach = await connection.next("attach_session");
    connection.say(connection.ok(attach, { cursor: cursor(0), resync: true }), snapshot(cursor(2, "other")));
    const again = await connection.next(type, 2);
    expect(again).toEqual(command);
    connection.say(connection.ok(again));
    await going;
    client.end();
  }
});

test("a run that its node left unfinished is interrupted; one that ended is not", async () => {
  for (const interrupted of [{ prompts: [], uncertain: [] }, undefined]) {
    const { client, connection, session } = await opened({ node: "n1" });
    const run = session.promptAndWait("hello");
    run.catch(() => {}); // checked below
    connection.say(connection.ok(await connection.next("prompt")), connection.event(1, START), MOVED);
    const attach = await connection.next("attach_session");
    const missed = snapshot(cursor(2, "other"), interrupted ? { interrupted } : {});
    connection.say(connection.ok(attach, { cursor: cursor(0), resync: true }), missed);
    const state = connection.next("get_state").then((asked) => connection.say(connection.ok(asked, STATE)));
    if (interrupted) await expect(run).rejects.toMatchObject({ code: "worker_exited" });
    else {
      await state;
      await run;
    }
    client.end();
  }
});

test("resends the state of one session when another session on the same connection moves", async () => {
  const { client, connection, session } = await opened({ node: "n1" });
  const opening = client.open({ cwd: "/other", updateMode: "delta" });
  const open = await connection.next("open_session", 2);
  connection.say(connection.ok(open, { sessionId: "s2", state: STATE, cursor: cursor(0), resync: false }));
  connection.say(connection.ok(await connection.next("set_update_mode")));
  const other = await opening;
  const count = connection.all("set_update_mode").length;
  connection.say(MOVED);
  const attach = await connection.next("attach_session");
  connection.say(connection.ok(attach, { cursor: cursor(0), resync: false }));
  const said = await connection.next("set_update_mode", count + 1);
  expect(said).toMatchObject({ sessionId: "s2", mode: "delta" });
  expect([session.isAway, other.isAway]).toEqual([false, false]);
  client.end();
});
