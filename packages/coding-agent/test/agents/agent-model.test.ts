import { expect, test } from "bun:test";
import { type Model, offlineModel } from "@pintle/ai";
import { chooseAgentModel } from "../../src/agents/agent-model.ts";

const models: Model[] = ["claude-opus-5", "claude-sonnet-5", "claude-haiku-5"].map((id) => ({
  ...offlineModel,
  provider: "anthropic",
  id,
  name: id,
}));
const choose = (model: readonly string[] | undefined, override?: string) => {
  const isUsable = ({ id }: Model) => id !== "claude-opus-5";
  const { choice, warning } = chooseAgentModel({ name: "a", model }, override, { models, isUsable });
  return choice ? `${choice.model.id}${choice.thinkingLevel ? `:${choice.thinkingLevel}` : ""}` : warning;
};

test.each<[readonly string[] | undefined, string | undefined, string | undefined]>([
  [undefined, undefined, undefined],
  [["anthropic/claude-haiku-5"], undefined, "claude-haiku-5"],
  [["sonnet"], undefined, "claude-sonnet-5"],
  [["haiku:low"], undefined, "claude-haiku-5:low"],
  [["claude-opus-5", "sonnet"], undefined, "claude-sonnet-5"],
  [["@smol"], undefined, undefined],
  [["pi/slow", "haiku"], undefined, "claude-haiku-5"],
  [["sonnet"], "haiku", "claude-haiku-5"],
  [["sonnet"], "inherit", undefined],
  [["sonnet"], "opus, haiku", "claude-haiku-5"],
])("the models %p with the override %p give %p", (model, override, chosen) => {
  expect(choose(model, override)).toBe(chosen);
});

test("an agent whose models cannot be used runs on its parent's model, with a warning", () => {
  expect(choose(["claude-opus-5", "gpt-9"])).toBe(
    'The agent "a" runs on the model of its parent, because none of its own can be used: claude-opus-5, gpt-9',
  );
});
