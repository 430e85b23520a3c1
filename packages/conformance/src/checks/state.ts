import { group } from "../check.ts";
import { require, same } from "../failure.ts";
import { spoken } from "../frame.ts";
import { hangs, says } from "../model-server.ts";

export const stateChecks = group("state", "commands", [
  [
    "streaming",
    "`isStreaming` is true during a run and false after it.",
    async (trial) => {
      const { answer, reached, release } = hangs("a part");
      trial.model.put(answer);
      const agent = await trial.start();
      const from = agent.mark();
      same((await agent.call("get_state")).isStreaming, false, "before");
      await agent.call("prompt", { message: "go" });
      await reached;
      same((await agent.call("get_state")).isStreaming, true, "in the run");
      release();
      await agent.until("agent_end", ({ type }) => type === "agent_end", from);
      // For the host, a run ends with agent_end; its cleanup may take a moment.
      let isStreaming = true;
      await agent.holds("the next state", () => true);
      for (let n = 0; n < 50 && isStreaming; n += 1) isStreaming = (await agent.call("get_state")).isStreaming;
      same(isStreaming, false, "after");
    },
  ],
  [
    "model",
    "`get_state` names the model; `get_available_models` lists it; an unknown one is refused and nothing changes.",
    async (trial) => {
      const agent = await trial.start();
      const { model } = await agent.call("get_state");
      same([model?.provider, model?.id], ["checked", "m"], "model");
      const { models } = await agent.call("get_available_models");
      require(models?.some(
        ({ id, provider }: { id: string; provider: string }) => id === "m" && provider === "checked",
      ), "the model is not listed");
      same((await agent.request("set_model", { provider: "checked", modelId: "none" })).success, false, "success");
      same((await agent.call("get_state")).model?.id, "m", "model afterwards");
    },
  ],
  [
    "queue modes",
    "Modes can be read after they were set.",
    async (trial) => {
      const agent = await trial.start();
      for (const mode of ["all", "one-at-a-time"]) {
        await agent.call("set_steering_mode", { mode });
        await agent.call("set_follow_up_mode", { mode });
        const { steeringMode, followUpMode } = await agent.call("get_state");
        same([steeringMode, followUpMode], [mode, mode], "modes");
      }
    },
  ],
  [
    "last text and messages",
    "`get_last_assistant_text` and `get_messages` return the conversation.",
    async (trial) => {
      trial.model.put(says("the answer"));
      const agent = await trial.start();
      await agent.run("the question");
      same((await agent.call("get_last_assistant_text")).text, "the answer", "text");
      const { messages } = await agent.call("get_messages");
      same(
        spoken(messages).map(({ role }) => role),
        ["user", "assistant"],
        "roles",
      );
    },
  ],
  [
    "statistics",
    "`get_session_stats` counts messages.",
    async (trial) => {
      trial.model.put(says("one"), says("two"));
      const agent = await trial.start();
      await agent.run("first");
      await agent.run("second");
      const { userMessages, assistantMessages } = await agent.call("get_session_stats");
      same([userMessages, assistantMessages], [2, 2], "messages of the user and the model");
    },
  ],
  [
    "pages",
    "`get_messages_page` returns all messages page by page, oldest first.",
    async (trial) => {
      const agent = await trial.start();
      for (const text of ["a", "b", "c"]) {
        trial.model.put(says(text));
        await agent.run(text);
      }
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await agent.call("get_messages_page", { limit: 2, ...(cursor !== undefined && { cursor }) });
        seen.push(...spoken(page.messages).map(({ role }) => role));
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      same(seen.length, 6, "number of messages");
    },
    "paging",
  ],
  [
    "todos",
    "`set_todos` replaces the list, and `get_state` returns it.",
    async (trial) => {
      const agent = await trial.start();
      const phases = [{ name: "Plan", tasks: [{ content: "think", status: "pending" }] }];
      await agent.call("set_todos", { phases });
      const { todoPhases } = await agent.call("get_state");
      same(todoPhases?.[0]?.tasks?.[0]?.content, "think", "the task");
    },
    "todos",
  ],
  [
    "thinking level",
    "`set_thinking_level` accepts `max`; a level that the model lacks becomes the nearest one.",
    async (trial) => {
      const agent = await trial.start();
      await agent.call("set_thinking_level", { level: "max" });
      const { thinkingLevel } = await agent.call("get_state");
      // Some agents have no level for a model that cannot think.
      same(typeof (thinkingLevel ?? "off"), "string", "thinkingLevel");
    },
  ],
  [
    "level in the model name",
    "`--model ID:max` selects the model `ID`; the level never becomes part of the id.",
    async (trial) => {
      const agent = await trial.start(["--model", "m:max"]);
      same((await agent.call("get_state")).model?.id, "m", "id of the model");
    },
    "thinking_suffix",
  ],
  [
    "automatic level",
    "`auto` is accepted as a thinking level, in `set_thinking_level` and in `--model ID:auto`.",
    async (trial) => {
      const agent = await trial.start(["--model", "m:auto"]);
      same((await agent.call("get_state")).model?.id, "m", "id of the model");
      same((await agent.request("set_thinking_level", { level: "auto" })).success, true, "success");
    },
    "thinking_auto",
  ],
]);
