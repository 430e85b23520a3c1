import type { Tool } from "./types.ts";

/** Returns the tool with other fields. Unlike a spread, it evaluates no getter: a tool may build its schema on demand. */
export function deriveTool(tool: Tool, fields: Partial<Tool>): Tool {
  const descriptors = { ...Object.getOwnPropertyDescriptors(tool), ...Object.getOwnPropertyDescriptors(fields) };
  return Object.defineProperties({}, descriptors) as Tool;
}
