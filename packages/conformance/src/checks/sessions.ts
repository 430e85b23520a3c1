import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { group } from "../check.ts";
import { require, same } from "../failure.ts";
import { type Frame, spoken, textOf } from "../frame.ts";
import { says } from "../model-server.ts";
import type { Trial } from "../trial.ts";

const texts = (messages: Frame[]) => spoken(messages).map(textOf);

async function talked(trial: Trial) {
  trial.model.put(says("one"));
  const agent = await trial.start();
  await agent.run("first");
  const { sessionFile, sessionId } = await agent.call("get_state");
  require(typeof sessionFile === "string", "get_state has no sessionFile");
  return { agent, sessionFile, sessionId };
}

export const sessionChecks = group("sessions", "commands", [
  [
    "new_session",
    "`new_session` starts an empty session with another id.",
    async (trial) => {
      const { agent, sessionId } = await talked(trial);
      same((await agent.call("new_session")).cancelled, false, "cancelled");
      const state = await agent.call("get_state");
      require(state.sessionId !== sessionId, "the id is the same");
      same(texts((await agent.call("get_messages")).messages), [], "messages");
    },
  ],
  [
    "switch_session",
    "`switch_session` goes back to a stored session with all its messages.",
    async (trial) => {
      const { agent, sessionFile, sessionId } = await talked(trial);
      await agent.call("new_session");
      same((await agent.call("switch_session", { sessionPath: sessionFile })).cancelled, false, "cancelled");
      same((await agent.call("get_state")).sessionId, sessionId, "sessionId");
      same(texts((await agent.call("get_messages")).messages), ["first", "one"], "messages");
    },
  ],
  [
    "a missing session",
    "A session that is not there is refused, and everything stays as it is.",
    async (trial) => {
      const { agent, sessionId } = await talked(trial);
      same(
        (await agent.request("switch_session", { sessionPath: join(trial.cwd, "nowhere.jsonl") })).success,
        false,
        "success",
      );
      same((await agent.call("get_state")).sessionId, sessionId, "sessionId");
      same(texts((await agent.call("get_messages")).messages), ["first", "one"], "messages");
    },
  ],
  [
    "name",
    "A name that is set is read, also after a restart.",
    async (trial) => {
      const { agent, sessionFile } = await talked(trial);
      await agent.call("set_session_name", { name: "my work" });
      same((await agent.call("get_state")).sessionName, "my work", "sessionName");
      await agent.end();
      const again = await trial.resume(sessionFile);
      same((await again.call("get_state")).sessionName, "my work", "sessionName after a restart");
    },
  ],
  [
    "fork",
    "`fork`, or `branch`, starts a session before a message of the user and gives its text back.",
    async (trial) => {
      const { agent, sessionId } = await talked(trial);
      // Older agents of the family have the second name only.
      const known = await agent.request("get_fork_messages");
      const [list, fork] = known.success ? [known.data, "fork"] : [await agent.call("get_branch_messages"), "branch"];
      same(
        list?.messages?.map(({ text }: Frame) => text),
        ["first"],
        "messages that can be forked before",
      );
      same((await agent.call(fork, { entryId: list.messages[0].entryId })).text, "first", "text");
      require((await agent.call("get_state")).sessionId !== sessionId, "the session is the same");
      same(texts((await agent.call("get_messages")).messages), [], "messages");
    },
    "branching",
  ],
  [
    "what was told is stored",
    "What was told before a `kill -9` is there when the session is opened again.",
    async (trial) => {
      const { agent, sessionFile } = await talked(trial);
      await agent.kill();
      const again = await trial.resume(sessionFile);
      same(texts((await again.call("get_messages")).messages), ["first", "one"], "messages");
    },
  ],
  [
    "a torn line",
    "A session file whose last line is torn opens without it, and the conversation goes on.",
    async (trial) => {
      const { agent, sessionFile } = await talked(trial);
      await agent.kill();
      appendFileSync(sessionFile, '{"type":"message","id":"torn","mess');
      const again = await trial.resume(sessionFile);
      same(texts((await again.call("get_messages")).messages), ["first", "one"], "messages");
      trial.model.put(says("two"));
      await again.run("second");
      await again.kill();
      const third = await trial.resume(sessionFile);
      same(
        texts((await third.call("get_messages")).messages),
        ["first", "one", "second", "two"],
        "messages after a run",
      );
    },
  ],
]);
