// Asks before the model runs a command that looks dangerous. Without a user to ask, it does not run. Try it:
//   pintle --extension examples/extensions/confirm-bash.ts -p 'run git push --force'
// A shell can express one action in many ways, so this catches accidents; it does not stop a model that tries to evade
// it.
import type { ExtensionFactory } from "pintle";

const DANGERS: readonly [pattern: RegExp, danger: string][] = [
  [/\brm\s+(-\S+\s+)*-\w*[rRf]/, "deletes without asking"],
  [/\b(sudo|doas)\b/, "runs as another user"],
  [/\bgit\s+(push|clean|reset\s+--hard)\b/, "cannot be taken back with git"],
  [/\b(curl|wget)\b.*\|\s*(sudo\s+)?\w*sh\b/, "runs what it downloads"],
  [/\b(mkfs|dd|shutdown|reboot)\b/, "acts on the machine"],
];

const ONCE = "Run it once";
const ALWAYS = "Run it, now and later in this session";
const NO = "Do not run it";

const extension: ExtensionFactory = (pi) => {
  const allowed = new Set<string>();

  pi.on("tool_call", async ({ toolName, input }, ctx) => {
    if (toolName !== "bash") return undefined;
    const command = String(input.command);
    const danger = DANGERS.find(([pattern]) => pattern.test(command))?.[1];
    if (danger === undefined || allowed.has(command)) return undefined;
    const answer = await ctx.ui.select(`This ${danger}:\n${command}`, [NO, ONCE, ALWAYS]);
    if (answer === ALWAYS) allowed.add(command);
    if (answer === ONCE || answer === ALWAYS) return undefined;
    return {
      block: true,
      reason: `The user did not approve the command (it ${danger}). Find another way or ask the user.`,
    };
  });
};

export default extension;
