import type { ToolAnnotations } from "../protocol.ts";
import type { HostTool, HostToolContext, HostToolOutput } from "./host-tools.ts";
import type { InferArguments } from "./schemas/infer.ts";
import { toJsonSchema, validated, violationText } from "./schemas/schema-value.ts";

type Awaitable<T> = T | Promise<T>;

export interface ToolOptions<S extends object> {
  /** Unique among all tools. */
  name: string;
  /** Shown to the model. */
  description: string;
  /** Describes the arguments: a TypeBox schema, a JSON Schema or a Standard Schema. Without one the tool takes no arguments. */
  schema?: S;
  /** The JSON Schema of the arguments, if the library of the Standard Schema cannot generate one. */
  parameters?: object;
  /** Shown to people; defaults to the name. */
  label?: string;
  /** Registers the tool without offering it to the model. */
  hidden?: boolean;
  /** Shorthand for `annotations: { readOnlyHint: true }`: the tool changes nothing, so every preset allows it. */
  readOnly?: boolean;
  annotations?: ToolAnnotations;
  /** The time limit of one call; overrides `host.toolTimeoutMs`. */
  timeoutMs?: number;
  execute(args: InferArguments<S>, context: HostToolContext): Awaitable<HostToolOutput | undefined>;
}

const NO_ARGUMENTS = { type: "object", properties: {}, additionalProperties: false };

/** Declares a tool that runs in this program. The argument type of `execute` is inferred from `schema`. */
export function tool<const S extends object>(options: ToolOptions<S>): HostTool {
  const { schema, parameters, readOnly, annotations, execute, ...definition } = options;
  if (readOnly !== undefined && annotations?.readOnlyHint !== undefined && readOnly !== annotations.readOnlyHint) {
    throw new TypeError(`tool "${definition.name}": readOnly conflicts with annotations.readOnlyHint`);
  }
  const hints = { ...(readOnly !== undefined && { readOnlyHint: readOnly }), ...annotations };
  return {
    ...definition,
    parameters: parameters ?? (schema ? toJsonSchema(schema, `The schema of tool "${definition.name}"`) : NO_ARGUMENTS),
    ...(Object.keys(hints).length > 0 && { annotations: hints }),
    async execute(given: unknown, context: HostToolContext) {
      const checked = schema ? await validated(schema, given) : { value: given };
      if ("violations" in checked) {
        throw new Error(`The arguments do not match the schema:\n${violationText(checked.violations)}`);
      }
      // Validated against the schema that the type is inferred from, here or on the server.
      return execute(checked.value as InferArguments<S>, context);
    },
  };
}
