import { appendFileSync, mkdirSync } from "node:fs";
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
    "`switch_session` returns to a stored session with all its messages.",
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
    "A session that does not exist is refused, and nothing changes.",
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
    "A name can be read after it was set, even after a restart.",
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
    "`fork`, or `branch`, starts a session before a user message and returns its text.",
    async (trial) => {
      const { agent, sessionId } = await talked(trial);
      // Older agents of the family have only the second name.
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
    "emitted messages are stored",
    "Everything emitted before a `kill -9` is present when the session is opened again.",
    async (trial) => {
      const { agent, sessionFile } = await talked(trial);
      await agent.kill();
      const again = await trial.resume(sessionFile);
      same(texts((await again.call("get_messages")).messages), ["first", "one"], "messages");
    },
  ],
  [
    "a torn line",
    "A session file whose last line is torn opens without that line, and the conversation continues.",
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
  [
    "a new file",
    "`--session PATH` creates a session file that does not exist, and opens it the next time.",
    async (trial) => {
      trial.model.put(says("one"));
      const file = join(trial.cwd, "conversation 1.jsonl");
      const agent = await trial.start(["--session", file]);
      await agent.run("first");
      await agent.end();
      const again = await trial.start(["--session", file]);
      same(texts((await again.call("get_messages")).messages), ["first", "one"], "messages");
    },
    "session_files",
  ],
  [
    "size after compact",
    "`compact` answers with `estimatedTokensAfter`.",
    async (trial) => {
      trial.model.put(says("long ".repeat(20_000)), says("second"), says("a summary"), says("a summary"));
      const agent = await trial.start();
      await agent.run("first");
      await agent.run("second");
      const { estimatedTokensAfter } = await agent.call("compact");
      same(typeof estimatedTokensAfter, "number", "type of estimatedTokensAfter");
    },
    "compaction_size",
  ],
  [
    "open_session",
    "`open_session` starts a session in a directory without one, and resumes the newest session of the directory.",
    async (trial) => {
      const sessionDir = join(trial.cwd, "sessions");
      mkdirSync(sessionDir);
      trial.model.put(says("one"));
      const agent = await trial.startAsOmp();
      const { cancelled, resumed, sessionId } = await agent.call("open_session", { sessionDir });
      same([cancelled, resumed], [false, false], "cancelled and resumed in an empty directory");
      await agent.run("first");
      await agent.call("new_session");
      const again = await agent.call("open_session", { sessionDir });
      same([again.cancelled, again.resumed, again.sessionId], [false, true, sessionId], "the answer the second time");
      same(texts((await agent.call("get_messages")).messages), ["first", "one"], "messages");
    },
    "session_directories",
  ],
]);
