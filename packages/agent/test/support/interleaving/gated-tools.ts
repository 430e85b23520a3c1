import { Type } from "typebox";
import type { Tool, ToolInvocation, ToolResult } from "../../../src/types.ts";
import { makeTool, ok } from "../tools.ts";
import type { Gates } from "./gates.ts";

export interface Execution {
  id: string;
  tool: string;
  key: string | undefined;
  runIndex: number;
  call: ToolInvocation;
  /** True if the call has returned, thrown or been abandoned. */
  isOver: boolean;
  finish(result: ToolResult): void;
}

interface GatedToolsOptions {
  gates: Gates;
  runIndex(): number;
  onStart(execution: Execution): void;
  onReturn(execution: Execution, result: ToolResult | undefined): void;
}

/** A tool of every kind, each of whose calls ends when its gate opens. */
export function gatedTools({ gates, runIndex, onStart, onReturn }: GatedToolsOptions): Tool[] {
  const gated = (name: string, rest: Partial<Tool> = {}, doesListen = false): Tool =>
    makeTool(
      name,
      (args, call) =>
        new Promise<ToolResult>((resolve, reject) => {
          const { key } = args as { key?: string };
          const over = (result: ToolResult | undefined) => {
            if (execution.isOver) return;
            execution.isOver = true;
            leave();
            onReturn(execution, result);
          };
          const execution: Execution = {
            id: call.id,
            tool: name,
            key,
            runIndex: runIndex(),
            call,
            isOver: false,
            finish: (result) => {
              over(result);
              resolve(result);
            },
          };
          const leave = gates.add({
            kind: "tool",
            complete: (how) => {
              if (how < 20) call.update(ok(`progress of ${call.id}`));
              else if (how < 30) {
                over(undefined);
                reject(new Error(`${call.id} broke`));
              } else if (how < 35) {
                over(undefined);
                resolve({ content: "malformed" } as never);
              } else execution.finish({ ...ok(`returned ${call.id}`), ...(name === "final" && { terminate: true }) });
              return how >= 20;
            },
          });
          onStart(execution);
          if (!doesListen) return;
          call.signal.addEventListener("abort", () => {
            over(undefined);
            reject(call.signal.reason);
          });
        }),
      rest,
    );
  return [
    gated("shared"),
    gated("exclusive", { concurrency: "exclusive" }),
    gated("keyed", {
      parameters: Type.Object({ key: Type.String() }),
      serializeOn: (args) => [(args as { key: string }).key],
    }),
    gated("polite", {}, true),
    gated("deaf"),
    gated("waiting", { interruptible: true }, true),
    gated("stubborn", { nonAbortable: true }),
    gated("final"),
  ];
}
