export const NOTIFY_WAYS = ["off", "bell", "desktop"] as const;
export type NotifyWay = (typeof NOTIFY_WAYS)[number];

type Environment = Readonly<Record<string, string | undefined>>;

const BELL = "\u0007";

/** Returns the sequence that calls the user: a bell, or a desktop notification in the form that the terminal knows. */
export function notification(text: string, way: NotifyWay, { TERM = "", TMUX, VTE_VERSION }: Environment): string {
  if (way === "off") return "";
  // tmux forwards only the bell.
  if (way === "bell" || TMUX || TERM.startsWith("screen")) return BELL;
  const isUrxvt = VTE_VERSION !== undefined || /^(?:foot|rxvt)/.test(TERM);
  return isUrxvt ? `\u001b]777;notify;pintle;${text}${BELL}` : `\u001b]9;${text}${BELL}`;
}
