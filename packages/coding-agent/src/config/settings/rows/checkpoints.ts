import { COVERAGES } from "@pintle/wire";
import { type SettingRows, setting } from "../setting-row.ts";
import { integer, oneOf, strings } from "../settings-types.ts";

const MIB = 1024 * 1024;

/** Undo of the changes that a run makes to files. */
export const CHECKPOINTS = {
  "checkpoints.coverage": setting({
    type: oneOf(...COVERAGES),
    default: "workspace",
    isStrict: true,
    project: "never",
    meaning:
      "Which file changes can be undone: all in the workspace, only those of `write`, `edit` and applied previews (`tools`), or none (`off`).",
  }),
  "checkpoints.include": setting({
    type: strings,
    default: Object.freeze([".env", ".env.*"]),
    project: "never",
    meaning: "Files that are covered although an ignore file names them, as patterns like those in `.gitignore`.",
  }),
  "checkpoints.maxFileBytes": setting({
    type: integer({ min: 0 }),
    default: 10 * MIB,
    project: "never",
    meaning: "Larger files that a command changes are reported but cannot be restored.",
  }),
  "checkpoints.maxFiles": setting({
    type: integer({ min: 0 }),
    default: 100_000,
    project: "never",
    meaning: "In a workspace with more files, only changes by file tools are covered.",
  }),
  "checkpoints.maxBytes": setting({
    type: integer({ min: 0 }),
    default: 2048 * MIB,
    project: "never",
    meaning:
      "In a workspace whose files are larger in total when they are first read, only changes by file tools are covered.",
  }),
  "checkpoints.timeoutMs": setting({
    type: integer({ min: 1 }),
    default: 10_000,
    project: "never",
    meaning: "In a workspace that takes longer to read for the first time, only changes by file tools are covered.",
  }),
  "checkpoints.maxStoreBytes": setting({
    type: integer({ min: 0 }),
    default: 5120 * MIB,
    project: "never",
    meaning: "Above this size of all stored checkpoints, the oldest are removed.",
  }),
} satisfies SettingRows;
