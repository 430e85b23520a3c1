import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";

interface CompilerError {
  path: string;
  message: string;
  value: unknown;
}

interface CompilerErrors extends Iterable<CompilerError> {
  First(): CompilerError | undefined;
}

/** The compiler of version 0.34 of the schema library, implemented with the current one. */
export const TypeCompiler = {
  Compile(schema: TSchema): { Check(value: unknown): boolean; Errors(value: unknown): CompilerErrors } {
    const validator = Compile(schema);
    return {
      Check: (value) => validator.Check(value),
      Errors(value) {
        const errors = validator.Errors(value).map(({ instancePath, message }) => ({
          path: instancePath,
          message,
          value: valueAt(value, instancePath),
        }));
        return Object.assign(errors, { First: () => errors[0] });
      },
    };
  },
};

function valueAt(root: unknown, pointer: string): unknown {
  let value = root;
  for (const step of pointer.split("/").slice(1)) {
    value = Object(value)[step.replaceAll("~1", "/").replaceAll("~0", "~")];
  }
  return value;
}
