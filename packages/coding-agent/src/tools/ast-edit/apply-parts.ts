import type { ToolResult } from "@pintle/agent";
import { textsOf } from "@pintle/ai";
import { withHunks } from "../../file-changes/index.ts";
import { ApplyRefused } from "../../previews/apply-refused.ts";
import type { ChangeSelection } from "../../previews/pending-action.ts";
import { applyPreview } from "./apply.ts";
import { type EditRequest, type PlanContext, type PlannedFile, planEdits, statesOf } from "./plan.ts";
import { type Fingerprint, fingerprint, type Preview } from "./preview.ts";

/** Applies the selected parts of a preview, or nothing. Throws ApplyRefused if one of their files has changed. */
export async function applyParts(
  context: PlanContext,
  request: EditRequest,
  { files: previewed, changes }: Pick<Preview, "files" | "changes">,
  { files, hunks, edits }: ChangeSelection,
): Promise<ToolResult> {
  const texts = new Map(edits.map(({ path, content }) => [path, content]));
  const ids = new Set(hunks);
  const inPart = changes.filter((change) => change.hunks?.some(({ hunkId }) => ids.has(hunkId)));
  const names = new Set([...files, ...texts.keys(), ...inPart.map(({ path }) => path)]);
  const chosen = new Map([...previewed].filter(([, { shown }]) => names.has(shown)));
  const contentOf = (file: PlannedFile): Uint8Array | undefined => {
    const text = texts.get(file.shown);
    if (text !== undefined) return Buffer.from(text);
    return files.includes(file.shown) ? undefined : withHunks({ path: file.shown, ...statesOf(file) }, ids)?.bytes;
  };
  const { isStale, ...result } = await applyPreview(context, request, chosen, { isWhole: false, contentOf });
  if (isStale) throw new ApplyRefused("conflict", textsOf(result.content).join("\n"));
  return result;
}

/** Throws ApplyRefused if the file is not as it was at the time of the preview. */
export async function proposedText(
  context: PlanContext,
  request: EditRequest,
  previewed: ReadonlyMap<string, Fingerprint>,
  shown: string,
): Promise<string> {
  let text: string | undefined;
  await planEdits(context, request, (file) => {
    const known = previewed.get(file.path);
    if (file.shown !== shown || known?.hash !== fingerprint(file).hash) return;
    text = Buffer.from(statesOf(file).after.bytes).toString();
  });
  if (text === undefined)
    throw new ApplyRefused("conflict", `${shown} has changed since the preview. Run ast_edit again.`);
  return text;
}
