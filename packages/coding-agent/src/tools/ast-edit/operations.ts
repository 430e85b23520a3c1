import { capturedVariables, parseTemplate, type TemplatePart } from "../ast/metavariables.ts";
import { checkPattern } from "../ast/patterns.ts";

export interface OperationArguments {
  pat: string;
  out: string;
}

export interface Operation {
  pattern: string;
  template: readonly TemplatePart[];
}

/** Throws for everything that can be seen to be wrong before a file is read. */
export function checkOperations(ops: readonly OperationArguments[]): Operation[] {
  if (ops.length === 0) throw new Error("ops is empty");
  const seen = new Map<string, number>();
  return ops.map(({ pat, out }, index) => {
    checkPattern(pat, `ops[${index}].pat`);
    const before = seen.get(pat);
    if (before !== undefined) throw new Error(`ops[${index}].pat is the same as ops[${before}].pat: ${pat}`);
    seen.set(pat, index);
    const template = parseTemplate(out, capturedVariables(pat), (variable) => refuseVariable(index, variable));
    return { pattern: pat, template };
  });
}

export function refuseVariable(index: number, variable: string): never {
  throw new Error(`ops[${index}].out uses ${variable}, which ops[${index}].pat does not capture`);
}
