// A team's shared resources in one folder: a skill, a prompt template and a rule. Put the folder under
// ~/.pintle/extensions, or:
//   pintle --extension examples/extensions/team-pack -p '/changes since v1'
import type { ExtensionFactory } from "pintle";

const extension: ExtensionFactory = (pi) => {
  // Paths are relative to this file. The skill's name and description are part of the system prompt, the template is
  // the command /changes.
  pi.on("resources_discover", () => ({ skillPaths: ["skills"], promptPaths: ["prompts"] }));

  pi.on("before_agent_start", ({ systemPrompt }) => ({
    systemPrompt: `${systemPrompt}\n\nRule of the team: a change without a test is not finished.`,
  }));
};

export default extension;
