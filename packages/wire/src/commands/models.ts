import { Type } from "@pintle/ai/type";
import { thinkingWord } from "../fields.ts";
import { ref } from "../named-types.ts";
import { OF_A_MODEL } from "./announcements.ts";
import { noParams, noResult, nullable, row } from "./row.ts";

const providerName = () =>
  Type.String({ pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$", description: "the name of a provider" });

/** The model and its thinking level. */
export const modelCommands = {
  set_model: row({
    summary: "Selects the model for the next model call.",
    params: () => Type.Object({ provider: Type.String(), modelId: Type.String() }),
    result: () => ref("Model"),
    lane: "ordered",
    announces: OF_A_MODEL,
  }),
  cycle_model: row({
    summary: "Selects the next model of the scope, or of all usable models.",
    params: noParams,
    result: () =>
      nullable(
        Type.Object({
          model: ref("Model"),
          thinkingLevel: Type.Optional(ref("ThinkingLevel")),
          isScoped: Type.Boolean(),
        }),
      ),
    lane: "ordered",
  }),
  get_available_models: row({
    summary: "The models that can be used now.",
    params: noParams,
    result: () => Type.Object({ models: Type.Array(ref("Model")) }),
    lane: "read",
    letsOthersPass: true,
    overtakesLong: true,
  }),
  set_api_key: row({
    summary:
      "Stores a provider's key in `auth.json`. It applies from the next model call, and no command ever returns it.",
    params: () =>
      Type.Object({
        provider: providerName(),
        key: Type.String({ pattern: "\\S", description: "a non-empty string" }),
      }),
    result: noResult,
    lane: "ordered",
  }),
  remove_api_key: row({
    summary: "Removes a provider's key from `auth.json`.",
    params: () => Type.Object({ provider: providerName() }),
    result: noResult,
    lane: "ordered",
  }),
  set_thinking_level: row({
    summary: "Sets how much the model thinks, as far as it supports it.",
    params: () => Type.Object({ level: thinkingWord() }),
    result: noResult,
    lane: "ordered",
  }),
  cycle_thinking_level: row({
    summary: "Selects the next thinking level of the model.",
    params: noParams,
    result: () => nullable(Type.Object({ level: ref("ThinkingLevel") })),
    lane: "ordered",
  }),
  get_available_thinking_levels: row({
    summary: "The thinking levels of the model, ascending.",
    params: noParams,
    result: () => Type.Object({ levels: Type.Array(ref("ThinkingLevel")) }),
    lane: "read",
  }),
};
