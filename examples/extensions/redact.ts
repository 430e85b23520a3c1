// Removes secrets from tool results before they reach the model or the session file. To name the variables that contain
// them:
//   pintle --extension examples/extensions/redact.ts --hide=API_KEY,HOME -p 'run echo $HOME'
import type { ExtensionFactory } from "pintle";

const extension: ExtensionFactory = (pi) => {
  pi.registerFlag("hide", { type: "string", default: "", description: "variables whose values are hidden" });

  pi.on("tool_result", ({ content }) => {
    const names = String(pi.getFlag("hide")).split(",").filter(Boolean);
    const secrets = names.flatMap((name) => process.env[name] || []);
    if (secrets.length === 0) return undefined;
    return {
      content: content.map((block) =>
        block.type === "text"
          ? { ...block, text: secrets.reduce((text, secret) => text.replaceAll(secret, "[hidden]"), block.text) }
          : block,
      ),
    };
  });
};

export default extension;
