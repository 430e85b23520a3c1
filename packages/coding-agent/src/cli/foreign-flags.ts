/** A flag of pi, omp or xcsh that pintle does not have. */
interface ForeignFlag {
  takesValue: boolean;
  /**
   * Why pintle refuses to start with it: ignoring a restriction, or the conversation that the user named, is worse than not
   * starting.
   */
  refusal?: string;
}

const SWITCH: ForeignFlag = { takesValue: false };
const VALUE: ForeignFlag = { takesValue: true };

/**
 * Flags of other programs of the family. Hosts and scripts written for those pass them, so pintle ignores them unless they
 * restrict what may happen. An extension that registers such a flag takes it over.
 */
export const FOREIGN_FLAGS: Readonly<Record<string, ForeignFlag>> = {
  advisor: SWITCH,
  alias: VALUE,
  "allow-home": SWITCH,
  "auto-approve": SWITCH,
  config: VALUE,
  "external-thinking": SWITCH,
  "hide-thinking": SWITCH,
  "models-config": VALUE,
  "no-lsp": SWITCH,
  "no-prewalk": SWITCH,
  "no-pty": SWITCH,
  "no-themes": SWITCH,
  "no-title": SWITCH,
  plan: VALUE,
  "plan-yolo": SWITCH,
  "plan-yolo-into": VALUE,
  "plugin-dir": VALUE,
  prewalk: SWITCH,
  "prewalk-into": VALUE,
  "print-thoughts": SWITCH,
  profile: VALUE,
  "prompt-cache-key": VALUE,
  "service-tier": VALUE,
  slow: VALUE,
  smol: VALUE,
  "system-prompt-template": VALUE,
  theme: VALUE,
  "tui-mode": VALUE,
  "use-theme": VALUE,
  yolo: SWITCH,

  "from-claude": {
    takesValue: false,
    refusal: "--from-claude is not available: pintle does not read sessions of other programs",
  },
  "from-codex": {
    takesValue: false,
    refusal: "--from-codex is not available: pintle does not read sessions of other programs",
  },
};

export function foreignFlag(name: string): ForeignFlag | undefined {
  return Object.hasOwn(FOREIGN_FLAGS, name) ? FOREIGN_FLAGS[name] : undefined;
}
