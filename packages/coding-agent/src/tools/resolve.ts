import { Type } from "@pintle/ai/type";
import type { Previews } from "../previews/previews.ts";
import { declareTool } from "./define-tool.ts";

/** Decides on the newest staged change. Offered only while one may exist. */
export const resolveTool = declareTool({
  name: "resolve",
  label: "Resolve",
  description: "Apply or discard the newest preview. Until it is applied, nothing has changed.",
  parameters: () =>
    Type.Object(
      {
        // A list of strings, because some providers refuse a union of constants here.
        action: Type.Unsafe<"apply" | "discard">({ type: "string", enum: ["apply", "discard"] }),
        reason: Type.String(),
      },
      { additionalProperties: false },
    ),
  access: { kind: "preview", applies: ({ action }) => action === "apply" },
  // Always finishes once started, because otherwise the model would not know how much was applied.
  nonAbortable: true,
  // The model or the user decides about a staged change, not another tool.
  modelOnly: true,
  headline: ({ action, reason }) => [action, reason].filter((word) => typeof word === "string").join(": "),
  load: async () => ({
    async execute({ action: verdict, reason }, _call, previews: Previews) {
      const { action, result } = await previews.decide({ verdict, reason, by: "model" });
      return {
        ...result,
        details: {
          action: verdict,
          reason,
          sourceToolName: action.sourceToolName,
          label: action.label,
          ...(result.details !== undefined && { sourceResultDetails: result.details }),
        },
      };
    },
  }),
});
