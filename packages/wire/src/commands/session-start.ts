import { Type } from "@pintle/ai/type";
import { thinkingWord } from "../fields.ts";
import { budgetFields } from "./budgets.ts";

/** How a session of a gateway is started, by whichever command. */
export const startFields = () => ({
  name: Type.Optional(Type.String()),
  model: Type.Optional(Type.String({ description: "provider/id" })),
  thinking: Type.Optional(thinkingWord()),
  tools: Type.Optional(Type.Array(Type.String(), { description: "names; only these" })),
  env: Type.Optional(
    Type.Record(Type.String(), Type.String(), { description: "only variables that `serve.env` names" }),
  ),
  settings: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: "for this session only, as with `--set`" }),
  ),
  trust: Type.Optional(Type.Boolean({ description: "whether project code may run; if absent a host is asked" })),
  budget: Type.Optional(Type.Object(budgetFields(), { description: "as with `set_budget`" })),
});
