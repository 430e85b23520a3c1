const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_MS = 100;

/** Returns the frame for this moment, so that all spinners turn together. */
export function spinner(now: number): string {
  return FRAMES[Math.floor(now / FRAME_MS) % FRAMES.length]!;
}

/** Shorter times are not shown. */
const SHOWN_MS = 100;

/** Formats a duration. Returns an empty string for a time too short to notice. */
export function duration(ms: number): string {
  if (ms < SHOWN_MS) return "";
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m ${seconds % 60}s`;
}
