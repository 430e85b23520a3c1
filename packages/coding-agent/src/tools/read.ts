import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";
import { declareTool } from "./define-tool.ts";
import { READS_PATH } from "./shared/access.ts";
import type { Truncation } from "./shared/truncate.ts";

export interface ReadDetails {
  kind: "text" | "image" | "directory" | "notebook";
  mimeType?: string;
  truncation?: Truncation;
}

function parameters() {
  return Type.Object({
    path: Type.String({ description: "File or directory to read, relative or absolute." }),
    offset: Type.Optional(Type.Integer({ minimum: 0, description: "Line to start with; the first is 1." })),
    limit: Type.Optional(Type.Integer({ minimum: 1, description: "Most lines to read." })),
  });
}

export type ReadArguments = Static<ReturnType<typeof parameters>>;

export const readTool = declareTool({
  name: "read",
  label: "Read",
  description:
    "Read a text file, an image (png, jpg, gif, webp), a notebook or a directory. Long files are cut; the result then says how to go on with offset and limit.",
  promptSnippet: "Read a file, image, notebook or directory",
  promptGuidelines: ["Look into files with read, not with shell commands."],
  parameters,
  access: READS_PATH,
  files: "reads",
  keepsOutput: true,
  load: () => import("./read/execute-read.ts"),
});
