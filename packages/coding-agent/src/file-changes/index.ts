// File changes as data: hunks, selections of hunks, and merges. Pure. Loaded on first use, because it imports the line
// comparison.
export { type ComparedFile, type ComparedFiles, compareFiles } from "./compare-files.ts";
export { describeChange, limitHunks } from "./describe-change.ts";
export { type FileState, isSameState } from "./file-state.ts";
export { mergeChange } from "./merge-changes.ts";
export { patchText } from "./patch-text.ts";
export { withHunks } from "./select-hunks.ts";
