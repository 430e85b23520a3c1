// Compaction without a model: the summary is the list of what was asked and which files were touched. It costs nothing
// and is deterministic; the content of the answers is lost.
//   echo '{"type":"compact"}' | pintle --mode rpc --extension examples/extensions/own-summary.ts
import type { ExtensionFactory } from "pintle";

const MAX_REQUEST = 200;

const extension: ExtensionFactory = (pi) => {
  pi.on("session_before_compact", ({ preparation }) => {
    const { messagesToSummarize, turnPrefixMessages, previousSummary, fileOps } = preparation;
    const requests = [...messagesToSummarize, ...turnPrefixMessages].flatMap((message) => {
      if (message.role !== "user") return [];
      const { content } = message;
      const text =
        typeof content === "string" ? content : content.map((block) => ("text" in block ? block.text : "")).join(" ");
      return [`- ${text.slice(0, MAX_REQUEST)}`];
    });
    const sections = [
      ...(previousSummary ? [previousSummary] : []),
      ["The user asked:", ...requests].join("\n"),
      ...(fileOps.modifiedFiles.length > 0 ? [`Changed files: ${fileOps.modifiedFiles.join(", ")}`] : []),
      ...(fileOps.readFiles.length > 0 ? [`Files that were read: ${fileOps.readFiles.join(", ")}`] : []),
    ];
    return { compaction: { summary: sections.join("\n\n") } };
  });
};

export default extension;
