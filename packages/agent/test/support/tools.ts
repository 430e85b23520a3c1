import { Type } from "typebox";
import type { Tool, ToolInvocation, ToolResult } from "../../src/types.ts";

const anyArguments = Type.Object({});

export function ok(text: string): ToolResult {
  return { content: [{ type: "text", text }] };
}

/** A tool that runs `execute` with any arguments. */
export function makeTool(
  name: string,
  execute: Tool["execute"] = async () => ok(`${name} done`),
  rest: Partial<Tool> = {},
): Tool {
  return { name, label: name, description: `The ${name} tool`, parameters: anyArguments, execute, ...rest };
}

export interface OpenCall {
  id: string;
  args: Record<string, unknown>;
  call: ToolInvocation;
  finish(result?: ToolResult): void;
  fail(error: unknown): void;
}

/** A tool whose calls end when the test says so. */
export class GatedTool {
  readonly open = new Map<string, OpenCall>();
  readonly started: string[] = [];
  readonly tool: Tool;

  constructor(name: string, rest: Partial<Tool> = {}) {
    this.tool = makeTool(
      name,
      (args, call) => {
        this.started.push(call.id);
        return new Promise<ToolResult>((resolve, reject) => {
          const finish = (result = ok(`${name} ${call.id}`)) => resolve(result);
          this.open.set(call.id, { id: call.id, args: args as Record<string, unknown>, call, finish, fail: reject });
        });
      },
      rest,
    );
  }

  /** The started call with this id. */
  at(id: string): OpenCall {
    const open = this.open.get(id);
    if (!open) throw new Error(`call ${id} has not started`);
    return open;
  }
}

/** The text of a result; images are named by their type. */
export function textOf({ content }: Pick<ToolResult, "content">): string {
  return content.map((block) => (block.type === "text" ? block.text : `<${block.mimeType}>`)).join("\n");
}
