import { isRecord } from "../text/is-record.ts";

/** The outcome of a staged change. With `preview`, the model decides later. */
export type PreviewOutcome = "applied" | "discarded" | "partly applied" | "preview";

/** Returns the outcome that a result reports, or undefined if its tool staged nothing. */
export function previewOutcome(toolName: string, details: unknown): PreviewOutcome | undefined {
  if (!isRecord(details)) return undefined;
  if (toolName === "resolve") return decided([details]);
  if (Array.isArray(details.resolution) && details.resolution.length > 0) return decided(details.resolution);
  const isStaged = details.applied === false && typeof details.diff === "string" && details.diff !== "";
  return isStaged ? "preview" : undefined;
}

function decided(resolutions: readonly unknown[]): PreviewOutcome | undefined {
  const outcomes = new Set(resolutions.map(outcomeOf));
  const [only] = outcomes;
  return outcomes.size > 1 ? "partly applied" : only;
}

function outcomeOf(resolution: unknown): PreviewOutcome | undefined {
  if (!isRecord(resolution)) return undefined;
  if (resolution.action === "discard") return "discarded";
  if (resolution.action !== "apply") return undefined;
  const { discarded } = resolution;
  const rest = isRecord(discarded) ? [discarded.files, discarded.hunks] : [];
  if (rest.some((list) => Array.isArray(list) && list.length > 0)) return "partly applied";
  const { files, appliedFiles } = isRecord(resolution.sourceResultDetails) ? resolution.sourceResultDetails : {};
  const isPart = Array.isArray(files) && Array.isArray(appliedFiles) && appliedFiles.length < files.length;
  return isPart ? "partly applied" : "applied";
}
