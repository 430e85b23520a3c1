/** Calls a tool that requests do not declare. */
export const LATE_TOOL_NAME = "call_late_tool";
/** Finds one. */
export const SEARCH_TOOL_NAME = "search_late_tools";
