import type { Row } from "../page-data.ts";

/** The author of an entry. */
export const NAMES: Record<Row["kind"], string> = {
  user: "User",
  assistant: "Assistant",
  tool: "Tool",
  shell: "Command of the user",
  note: "Note",
  system: "System",
  files: "Files",
  compaction: "Compaction",
  branch: "Branch summary",
  subagent: "Subagent",
  change: "Change",
  data: "Data",
};
