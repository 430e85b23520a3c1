import type { Content, FunctionCallingConfig, FunctionDeclaration } from "@google/genai";
import type { Model } from "../../model.ts";
import { convertMessages, type ModelContext, type RequestOptions, type ToolDefinition } from "../protocol.ts";
import { GoogleConversation } from "./contents.ts";
import { toGeminiSchema } from "./schema.ts";
import { toThinkingConfig } from "./thinking.ts";

/** The SDK's enum as its wire value. */
type WireCalling = Pick<FunctionCallingConfig, "allowedFunctionNames"> & {
  mode: `${NonNullable<FunctionCallingConfig["mode"]>}`;
};

interface WireBody {
  systemInstruction?: Pick<Content, "parts">;
  contents: Content[];
  tools?: { functionDeclarations: FunctionDeclaration[] }[];
  toolConfig?: { functionCallingConfig: WireCalling };
  generationConfig: {
    maxOutputTokens: number;
    thinkingConfig?: object;
    responseMimeType?: "application/json";
    responseJsonSchema?: object;
  };
}

export function toGoogleBody(model: Model, context: ModelContext, options: RequestOptions): WireBody {
  const functionDeclarations = toDeclarations(context.tools ?? []);
  const functionCallingConfig = toCallingConfig(model, functionDeclarations, options);
  const thinkingConfig = toThinkingConfig(model, options);
  return {
    ...(context.systemPrompt?.trim() && { systemInstruction: { parts: [{ text: context.systemPrompt }] } }),
    contents: convertMessages(model, context, options, () => new GoogleConversation(model)).contents,
    ...(functionDeclarations.length > 0 && { tools: [{ functionDeclarations }] }),
    ...(functionCallingConfig && { toolConfig: { functionCallingConfig } }),
    generationConfig: {
      maxOutputTokens: maxTokens(model, options, thinkingConfig?.thinkingBudget),
      ...(thinkingConfig && { thinkingConfig }),
      ...(options.outputFormat && {
        responseMimeType: "application/json" as const,
        responseJsonSchema: toGeminiSchema(options.outputFormat.schema),
      }),
    },
    ...model.compat?.extraBody,
  };
}

/** Thoughts count as output, so the answer's limit must include the thinking budget. */
function maxTokens(model: Model, options: RequestOptions, budget = 0): number {
  const wanted = options.maxTokens === undefined ? model.maxTokens : options.maxTokens + budget;
  return Math.max(1, Math.min(wanted, model.maxTokens));
}

function toDeclarations(tools: readonly ToolDefinition[]): FunctionDeclaration[] {
  return tools.map(({ name, description, parameters }) => ({
    name,
    description,
    parametersJsonSchema: toGeminiSchema(parameters),
  }));
}

function toCallingConfig(
  model: Model,
  declarations: readonly FunctionDeclaration[],
  { toolChoice }: RequestOptions,
): WireCalling | undefined {
  if (declarations.length === 0 || model.compat?.supportsToolChoice === false) return undefined;
  if (toolChoice === "none") return { mode: "NONE" };
  if (toolChoice === "required") return { mode: "ANY" };
  if (typeof toolChoice !== "object" || !declarations.some(({ name }) => name === toolChoice.name)) return undefined;
  return { mode: "ANY", allowedFunctionNames: [toolChoice.name] };
}
