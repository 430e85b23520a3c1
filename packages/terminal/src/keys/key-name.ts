/** The sequences of terminals, and the names that settings use for keys: `a`, `enter`, `ctrl+left`, `alt+shift+x`. */

const ESC = "\u001b";

const CONTROLS: Readonly<Record<string, string>> = {
  "\r": "enter",
  "\t": "tab",
  "\u007f": "backspace",
  "\b": "backspace",
  "\u001b": "escape",
  "\u0000": "ctrl+space",
  "\u001c": "ctrl+\\",
  "\u001d": "ctrl+]",
  "\u001e": "ctrl+^",
  "\u001f": "ctrl+-",
  " ": "space",
};

/** The final character of `CSI … X` and `SS3 X`. */
const FINALS: Readonly<Record<string, string>> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  E: "clear",
  F: "end",
  H: "home",
  M: "enter", // of the keypad
  P: "f1",
  Q: "f2",
  R: "f3",
  S: "f4",
};

/** The number of `CSI number ~`. */
const NUMBERS: Readonly<Record<string, string>> = {
  1: "home",
  2: "insert",
  3: "delete",
  4: "end",
  5: "pageup",
  6: "pagedown",
  7: "home",
  8: "end",
  11: "f1",
  12: "f2",
  13: "f3",
  14: "f4",
  15: "f5",
  17: "f6",
  18: "f7",
  19: "f8",
  20: "f9",
  21: "f10",
  23: "f11",
  24: "f12",
};

/** Code points that the kitty protocol assigns to keys without a character, and to keypad keys. */
const CODES: Readonly<Record<number, string>> = {
  9: "tab",
  13: "enter",
  27: "escape",
  32: "space",
  127: "backspace",
  57414: "enter",
  57417: "left",
  57418: "right",
  57419: "up",
  57420: "down",
  57421: "pageup",
  57422: "pagedown",
  57423: "home",
  57424: "end",
  57425: "insert",
  57426: "delete",
};
const KEYPAD_FIRST = 57399;
const KEYPAD_CHARACTERS = "0123456789./*-+";
/** Modifier keys by themselves, such as shift, control and caps lock. */
const FIRST_PRIVATE = 57344;
const LAST_PRIVATE = 63743;

const SHIFT = 1;
const ALT = 2;
const CTRL = 4;
const SUPER = 8;
const MODIFIERS = [
  ["alt", ALT],
  ["ctrl", CTRL],
  ["shift", SHIFT],
  ["super", SUPER],
] as const;
const KNOWN_MODIFIERS = SHIFT | ALT | CTRL | SUPER;

const ALIASES: Readonly<Record<string, string>> = { esc: "escape", return: "enter", del: "delete", ins: "insert" };
const RELEASED = "3";

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: escape sequences of terminals
const CSI = /^\u001b\[([\d;:]*)([A-Za-z~^$@])$/;
const SS3 = /^\u001bO(\d?)([A-Za-z])$/;
const LINUX_CONSOLE = /^\u001b\[\[([A-E])$/;
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: escape sequences of terminals

interface Press {
  name: string;
  modifiers: number;
  /** The text that the key types. */
  text?: string | undefined;
  isRelease?: boolean;
}

/** Returns the name of the key in the form of `normalKey`. Returns undefined for text of several characters, pastes and reports. */
export function keyName(data: string): string | undefined {
  const press = parsePress(data);
  return press && !press.isRelease ? withModifiers(press.name, press.modifiers) : undefined;
}

/** Returns the text that the key types, if any. */
export function typedText(data: string): string | undefined {
  const press = parsePress(data);
  return press && !press.isRelease ? press.text : undefined;
}

/** Returns whether a key was released, which terminals report only in some modes of the kitty protocol. */
export function isRelease(data: string): boolean {
  return parsePress(data)?.isRelease ?? false;
}

/** Brings a name from the settings into one form: modifiers in order, lower case, no aliases. */
export function normalKey(name: string): string {
  const parts = name.toLowerCase().split("+");
  // `ctrl++` is the plus key.
  const key = parts.at(-1) === "" ? "+" : parts.at(-1)!;
  const given = MODIFIERS.filter(([modifier]) => parts.slice(0, -1).includes(modifier));
  const modifiers = given.reduce((sum, [, bit]) => sum | bit, 0);
  return withModifiers(ALIASES[key] ?? (key === " " ? "space" : key), modifiers);
}

function withModifiers(name: string, modifiers: number): string {
  return [...MODIFIERS.filter(([, bit]) => modifiers & bit).map(([modifier]) => modifier), name].join("+");
}

function parsePress(data: string): Press | undefined {
  if (!data.startsWith(ESC) || data.length === 1) return characterPress(data);
  return csiPress(data) ?? ss3Press(data) ?? altPress(data);
}

function characterPress(data: string): Press | undefined {
  const [character = "", ...more] = data;
  if (more.length > 0 || character === "") return undefined;
  const named = CONTROLS[character];
  const code = character.codePointAt(0)!;
  if (named === "space") return { name: named, modifiers: 0, text: " " };
  if (named?.startsWith("ctrl+")) return { name: named.slice("ctrl+".length), modifiers: CTRL };
  if (named) return { name: named, modifiers: 0 };
  if (code < 32) return { name: String.fromCharCode(code + 96), modifiers: CTRL };
  if (code < 160 && code > 126) return undefined;
  const lower = character.toLowerCase();
  const isUpper = lower !== character && character.toUpperCase() === character;
  return { name: isUpper ? lower : character, modifiers: isUpper ? SHIFT : 0, text: character };
}

/** An escape before a key means that alt was held. */
function altPress(data: string): Press | undefined {
  const press = characterPress(data.slice(1));
  return press && { name: press.name, modifiers: press.modifiers | ALT };
}

function csiPress(data: string): Press | undefined {
  const console = LINUX_CONSOLE.exec(data)?.[1];
  if (console) return { name: `f${console.charCodeAt(0) - 64}`, modifiers: 0 };
  const match = CSI.exec(data);
  if (!match) return undefined;
  const [, parameters = "", final = ""] = match;
  const [first = "", second = "", third = ""] = parameters.split(";");
  const [modifier = "", event = ""] = second.split(":");
  const modifiers = modifiersOf(modifier);
  const isRelease = event === RELEASED;
  if (final === "u") return kittyPress(first, modifiers, isRelease);
  if (final === "Z") return { name: "tab", modifiers: modifiers | SHIFT, isRelease };
  if (final === "~" && first === "27") return codePress(Number(third), undefined, modifiers, false);
  if ("~$^@".includes(final)) {
    const name = NUMBERS[first];
    // rxvt encodes the modifiers in the last character.
    const held = { "~": 0, $: SHIFT, "^": CTRL, "@": SHIFT | CTRL }[final] ?? 0;
    return name === undefined ? undefined : { name, modifiers: modifiers | held, isRelease };
  }
  const rxvt = "abcd".includes(final) ? FINALS[final.toUpperCase()] : undefined;
  if (rxvt) return { name: rxvt, modifiers: SHIFT };
  const name = FINALS[final];
  return name === undefined ? undefined : { name, modifiers, isRelease };
}

function ss3Press(data: string): Press | undefined {
  const match = SS3.exec(data);
  if (!match) return undefined;
  const [, modifier = "", final = ""] = match;
  if ("abcd".includes(final)) return { name: FINALS[final.toUpperCase()]!, modifiers: CTRL };
  const name = FINALS[final];
  return name === undefined ? undefined : { name, modifiers: modifiersOf(modifier) };
}

/** `code:shifted:base`: the key, what it types with shift, and the key at its position on a Latin keyboard. */
function kittyPress(key: string, modifiers: number, isRelease: boolean): Press | undefined {
  const [code = 0, shifted = 0, base = 0] = key.split(":").map(Number);
  // On layouts without Latin letters, shortcuts go by the position of the key.
  const isShortcut = (modifiers & (ALT | CTRL | SUPER)) !== 0;
  return codePress(isShortcut && code > 127 && base > 0 ? base : code, shifted || undefined, modifiers, isRelease);
}

function codePress(
  code: number,
  shifted: number | undefined,
  modifiers: number,
  isRelease: boolean,
): Press | undefined {
  const named = CODES[code];
  const isTyping = (modifiers & (ALT | CTRL | SUPER)) === 0;
  if (named) return { name: named, modifiers, isRelease, ...(named === "space" && isTyping && { text: " " }) };
  const keypad = KEYPAD_CHARACTERS[code - KEYPAD_FIRST];
  if (keypad) return { name: keypad, modifiers, isRelease, ...(isTyping && { text: keypad }) };
  if (!isCharacter(code)) return undefined;
  const character = String.fromCodePoint(code);
  const typed =
    modifiers & SHIFT ? String.fromCodePoint(shifted ?? character.toUpperCase().codePointAt(0)!) : character;
  const plain = characterPress(typed);
  // The name of a character that needs shift does not include shift, as in terminals that send only the character.
  const isLetter = typed.toLowerCase() !== typed.toUpperCase();
  const held = isLetter ? modifiers | (plain?.modifiers ?? 0) : modifiers & ~SHIFT;
  return plain && { name: plain.name, modifiers: held, isRelease, ...(isTyping && { text: typed }) };
}

function isCharacter(code: number): boolean {
  return code >= 32 && code <= 0x10ffff && !(code >= FIRST_PRIVATE && code <= LAST_PRIVATE);
}

/** Caps lock and num lock are not modifiers of a shortcut. */
function modifiersOf(parameter: string): number {
  return parameter === "" ? 0 : (Number(parameter) - 1) & KNOWN_MODIFIERS;
}
