/** Chooses three example messages by fixed rules, without a model. */
export function examplePrompts({ hasGit, isOffline }: { hasGit: boolean; isOffline: boolean }): string[] {
  if (isOffline) return ["help", "read README.md", "list files"];
  return [
    "Explain what this project does and how it is structured.",
    "Run the tests, and fix the cause of the first failure.",
    hasGit ? "Review my uncommitted changes." : "List three improvements, the most useful first.",
  ];
}
