import type { Exports, Offer } from "./offer.ts";

// The terminal interface that existing extensions draw on. pintle has no terminal for them, so nothing here draws; it can be
// imported, extended and constructed.

class InertComponent {
  readonly children: unknown[] = [];
  [member: string]: unknown;

  render(): string[] {
    return [];
  }

  handleInput(): void {}

  invalidate(): void {}

  addChild(child: unknown): void {
    this.children.push(child);
  }

  removeChild(child: unknown): void {
    const index = this.children.indexOf(child);
    if (index !== -1) this.children.splice(index, 1);
  }

  clear(): void {
    this.children.length = 0;
  }

  setText(): void {}

  getText(): string {
    return "";
  }

  requestRender(): void {}

  dispose(): void {}
}

/** Creates classes of these names that do nothing. */
function inertClasses(names: readonly string[]): Record<string, typeof InertComponent> {
  return Object.fromEntries(names.map((name) => [name, { [name]: class extends InertComponent {} }[name]!]));
}

const nothing = () => {};

/** Returns the last string among the arguments, which is the text, unchanged. */
const plain = (...args: unknown[]) => args.findLast((argument) => typeof argument === "string") ?? "";

/** Style functions under any name. */
const plainTheme: Record<string, typeof plain> = new Proxy({}, { get: () => plain });

/** Key names: `Key.escape`, `Key.ctrl("x")`. */
const Key: Record<string, unknown> = new Proxy(
  {},
  {
    get: (_target, name) =>
      Object.assign((...keys: unknown[]) => [String(name), ...keys].join("+"), { toString: () => String(name) }),
  },
);

function truncateToWidth(text: string, width: number, ellipsis = "..."): string {
  if (Bun.stringWidth(text) <= width) return text;
  let cut = Bun.stripANSI(text);
  while (cut !== "" && Bun.stringWidth(cut + ellipsis) > width) cut = cut.slice(0, -1);
  return cut + ellipsis;
}

function wrapTextWithAnsi(text: string, width: number): string[] {
  const size = Math.max(1, Math.floor(width) || 1);
  return text.split("\n").flatMap((line) => line.match(new RegExp(`.{1,${size}}`, "gu")) ?? [""]);
}

/** Matches the characters of the query in order, but not necessarily next to each other. */
function fuzzyMatch(query: string, text: string): { matches: boolean; score: number } {
  const lower = text.toLowerCase();
  let from = 0;
  for (const character of query.toLowerCase()) {
    const at = lower.indexOf(character, from);
    if (at === -1) return { matches: false, score: 0 };
    from = at + character.length;
  }
  return { matches: true, score: from };
}

function fuzzyFilter<T>(items: readonly T[], query: string, textOf: (item: T) => string): T[] {
  return items.filter((item) => fuzzyMatch(query, textOf(item)).matches);
}

/** Returns the part of a line between two columns. */
function sliceByColumn(line: string, start: number, length: number): string {
  let column = 0;
  let cut = "";
  for (const character of Bun.stripANSI(line)) {
    const width = Bun.stringWidth(character);
    if (column >= start && column + width <= start + length) cut += character;
    column += width;
  }
  return cut;
}

/** `pi-tui`. */
export const tuiOffer: Offer = {
  works: {
    Key,
    hyperlink: (text: string) => text,
    truncateToWidth,
    visibleWidth: (text: string) => Bun.stringWidth(text),
    wrapTextWithAnsi,
    sliceByColumn,
    stripTerminalSequences: (text: string) => Bun.stripANSI(text),
    fuzzyMatch,
    fuzzyFilter,
  },
  inert: inertTui(),
};

function inertTui(): Exports {
  return {
    ...inertClasses([
      "Text",
      "Box",
      "Container",
      "Spacer",
      "Markdown",
      "SelectList",
      "SettingsList",
      "Editor",
      "Input",
      "Image",
      "TUI",
      "TruncatedText",
      "Loader",
      "CancellableLoader",
      "CombinedAutocompleteProvider",
      "KeybindingsManager",
      "StdinBuffer",
      "ProcessTerminal",
      "HStack",
      "VStack",
      "MouseRegion",
      "ScrollView",
      "TuiAltScreen",
      "TuiMainScreen",
    ]),
    CURSOR_MARKER: "",
    TUI_KEYBINDINGS: {},
    matchesKey: () => false,
    isKeyRelease: () => false,
    isKeyRepeat: () => false,
    isKittyProtocolActive: () => false,
    setKittyProtocolActive: nothing,
    decodeKittyPrintable: nothing,
    parseKey: nothing,
    isFocusable: () => false,
    getKeybindings: () => ({}),
    setKeybindings: nothing,
    getCapabilities: () => ({ images: null, trueColor: false, hyperlinks: false }),
    detectCapabilities: () => ({ images: null, trueColor: false, hyperlinks: false }),
    imageFallback: () => "",
    renderFakeCursor: (text: string) => text,
    isViewportTUI: () => false,
    isAppleTerminalSession: () => false,
    setCapabilities: nothing,
    setCapabilityOverrides: nothing,
    resetCapabilitiesCache: nothing,
    setCellDimensions: nothing,
    setImageTranscoder: nothing,
  };
}

/** The part of `pi-coding-agent` that draws. */
export const codingAgentUi: Exports = {
  ...inertClasses([
    "CustomEditor",
    "BorderedLoader",
    "DynamicBorder",
    "Theme",
    "AssistantMessageComponent",
    "BashExecutionComponent",
    "CustomMessageComponent",
    "FooterComponent",
    "ToolExecutionComponent",
    "UserMessageComponent",
    "ModelSelectorComponent",
    "SessionSelectorComponent",
    "ExtensionEditorComponent",
    "ExtensionInputComponent",
    "ExtensionSelectorComponent",
    "InteractiveMode",
    "ArminComponent",
    "BranchSummaryMessageComponent",
    "CompactionSummaryMessageComponent",
    "LoginDialogComponent",
    "OAuthSelectorComponent",
    "SettingsSelectorComponent",
    "ShowImagesSelectorComponent",
    "ThemeSelectorComponent",
    "SkillInvocationMessageComponent",
    "ThinkingSelectorComponent",
    "TreeSelectorComponent",
    "UserMessageSelectorComponent",
  ]),
  getMarkdownTheme: () => plainTheme,
  getSettingsListTheme: () => plainTheme,
  getSelectListTheme: () => plainTheme,
  initTheme: nothing,
  highlightCode: (code: string) => code.split("\n"),
  getLanguageFromPath: nothing,
  keyHint: plain,
  keyText: plain,
  rawKeyHint: plain,
  renderDiff: plain,
  truncateToVisualLines: (text: string) => ({ visualLines: text.split("\n"), skippedCount: 0 }),
};
