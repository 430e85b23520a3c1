import type { CheckSchema } from "../custom-tools/check-tool.ts";

/** Most extensions bring no tool, and the schema compiler takes as long to load as everything else here. */
export const checkSchema: CheckSchema = (schema) => {
  const { checkToolSchema }: typeof import("../../schemas/tool-schema.ts") = require("../../schemas/tool-schema.ts");
  return checkToolSchema(schema);
};
