import { existsSync } from "node:fs";
import type { Isolation } from "../subagents/isolation.ts";
import type { IsolationParts } from "../worktrees/worktree-isolation.ts";
import { recordsDirectory } from "../worktrees/worktree-places.ts";

/** Creates worktrees for subagents. Their code loads with the first one. */
export function lazyIsolation(parts: IsolationParts): Isolation {
  return {
    async start(subagent, signal) {
      const { startInWorktree } = await import("../worktrees/worktree-isolation.ts");
      return startInWorktree(subagent, parts, signal);
    },
    async recover(sessionFile) {
      if (!existsSync(recordsDirectory(parts.home))) return [];
      const { recoverWorktrees } = await import("../worktrees/left-worktrees.ts");
      return recoverWorktrees(sessionFile, parts);
    },
  };
}
