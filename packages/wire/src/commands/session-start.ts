import { Type } from "@pintle/ai/type";
import { thinkingLevel } from "../fields.ts";
import { budgetFields } from "./budgets.ts";

/** How a session of a gateway is started, by whichever command. */
export const startFields = () => ({
  name: Type.Optional(Type.String()),
  model: Type.Optional(Type.String({ description: "provider/id" })),
  thinking: Type.Optional(thinkingLevel()),
  tools: Type.Optional(Type.Array(Type.String(), { description: "names; only these" })),
  env: Type.Optional(
    Type.Record(Type.String(), Type.String(), { description: "only variables that `serve.env` names" }),
  ),
  settings: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: "of this session alone, as with `--set`" }),
  ),
  trust: Type.Optional(Type.Boolean({ description: "whether code of the project may run; if absent a host is asked" })),
  budget: Type.Optional(Type.Object(budgetFields(), { description: "as with `set_budget`" })),
});
