import { dirname } from "node:path";
import type { Settings } from "../config/settings/settings.ts";
import type { FurtherPaths, LoadedResources, ResourceOptions } from "./load-resources.ts";
import type { SettingsPaths } from "./places/resource-places.ts";
import type { SlashCommand } from "./prompts/slash-commands.ts";
import { localDate } from "./system-prompt/local-date.ts";
import type { SystemPromptOptions } from "./system-prompt/prompt-options.ts";
import type { PromptRules } from "./system-prompt/rule-texts.ts";
import type { PromptTool, SystemPromptParts } from "./system-prompt/system-prompt.ts";
import { readToolTexts } from "./system-prompt/tool-texts.ts";

export interface SessionResourcesParts extends ResourceOptions {
  /** pintle's own directory. */
  home: string;
  /** The user's home directory. */
  userHome: string;
  settings: Settings;
  isTrusted(): boolean;
  /** Takes precedence over SYSTEM.md. */
  systemPrompt?: SystemPromptParts["base"];
  /** Comes before APPEND_SYSTEM.md. */
  appendSystemPrompt?: readonly string[];
  /** Tools listed in the prompt; none if unset. */
  rules?(cwd: string): Promise<PromptRules>;
  /** Usage instructions from MCP servers; none if unset. */
  servers?(): string;
  /** Restrictions on the model's tool calls; none if unset. */
  permissions?(): string;
  warn(text: string): void;
  now(): number;
  /** Key of the open conversation. Copies of the conversation have the same key. */
  conversation?(): { key: string; startedAt: number | undefined };
}

/** Asks extensions for additional paths. Must not reject. */
export type Discover = (reason: "startup" | "reload") => Promise<FurtherPaths>;

const MAX_WARNINGS = 20;
const NOTHING: FurtherPaths = { skillPaths: [], promptPaths: [] };

/** The resources of a session, which are read before the first model call and then kept. */
export class SessionResources {
  readonly #parts: SessionResourcesParts;
  #discover: Discover = async () => NOTHING;
  #further: { cwd: string; paths: Promise<FurtherPaths> } | undefined;
  /** Loaded resources, if everything was read. */
  #isAgain = false;
  readonly #shownWarnings = new Set<string>();
  #loaded: { key: string; resources: LoadedResources } | undefined;
  /** The prompt that is being built, shared by concurrent callers. */
  #building: { cwd: string; tools: readonly PromptTool[]; stamp: string; text: Promise<string> } | undefined;
  #prompt: { cwd: string; madeFrom: readonly unknown[]; text: string } | undefined;
  /** Key of the last prompt. Every turn requests the prompt, nearly always with the same key. */
  #asked: { tools: readonly PromptTool[]; stamp: string } | undefined;
  #changes = 0;
  /** Returns the prompt of a conversation. */
  #date: { key: string; text: Promise<string> } | undefined;

  constructor(parts: SessionResourcesParts) {
    this.#parts = parts;
  }

  /** Returns the prompt that the model last received in this directory, or undefined if there was no call. */
  builtSystemPrompt(cwd: string): string | undefined {
    return this.#prompt?.cwd === cwd ? this.#prompt.text : undefined;
  }

  /** Returns the same text while directory, tools, resources, consent and conversation are unchanged, even past midnight. */
  systemPrompt(cwd: string, tools: readonly PromptTool[]): Promise<string> {
    const known = this.builtSystemPrompt(cwd);
    const stamp = this.#stamp();
    if (known !== undefined && this.#asked?.tools === tools && this.#asked.stamp === stamp) {
      return Promise.resolve(known);
    }
    const other = this.#building;
    if (other?.cwd === cwd && other.tools === tools && other.stamp === stamp) return other.text;
    const building = { cwd, tools, stamp, text: this.#buildPrompt(cwd, tools, stamp) };
    this.#building = building;
    const forget = () => {
      if (this.#building === building) this.#building = undefined;
    };
    building.text.then(forget, forget);
    return building.text;
  }

  /** Counter that changes whenever resources may have to be read again. */
  #stamp(): string {
    const { settings, isTrusted } = this.#parts;
    const settled = `${this.#parts.servers?.() ?? ""}\n${this.#parts.permissions?.() ?? ""}`;
    return `${settings.version} ${isTrusted()} ${this.#changes} ${this.#conversation.key} ${settled}`;
  }

  get #conversation() {
    return this.#parts.conversation?.() ?? { key: "", startedAt: undefined };
  }

  /** Returns the date in the system prompt: the day on which the conversation started. */
  promptDate(): Promise<string> {
    const { key, startedAt } = this.#conversation;
    if (this.#date?.key !== key) this.#date = { key, text: localDate(startedAt ?? this.#parts.now()) };
    return this.#date.text;
  }

  /** Returns the current date in the user's time zone. */
  today(): Promise<string> {
    return localDate(this.#parts.now());
  }

  async #buildPrompt(cwd: string, tools: readonly PromptTool[], stamp: string): Promise<string> {
    const parts = await this.promptParts(cwd, tools);
    const { base, contextFiles, skills, rules, servers, permissions } = parts;
    const date = await this.promptDate();
    const madeFrom = [
      cwd,
      JSON.stringify(parts.tools),
      JSON.stringify(rules),
      base,
      contextFiles,
      skills,
      servers,
      permissions,
      date,
    ];
    if (!this.#prompt?.madeFrom.every((part, index) => part === madeFrom[index])) {
      const { buildSystemPrompt, describeMachine } = await import("./load-resources.ts");
      const machine = describeMachine(tools, cwd, this.#parts.settings.get("shellPath"));
      this.#prompt = { cwd, madeFrom, text: buildSystemPrompt(parts, { date, machine }) };
    }
    this.#asked = { tools, stamp };
    return this.#prompt.text;
  }

  /** Returns the parts of the prompt, for extensions that build their own. */
  async promptParts(cwd: string, tools: readonly PromptTool[]): Promise<SystemPromptParts> {
    const { systemPrompt, appendSystemPrompt = [], rules, servers, permissions } = this.#parts;
    const { systemFiles, contextFiles, skills } = await this.load(cwd);
    return {
      base: systemPrompt ?? systemFiles.base,
      append: [...appendSystemPrompt, ...(systemFiles.append === undefined ? [] : [systemFiles.append])],
      tools: tools.map(toPromptTool),
      contextFiles,
      ...(rules && { rules: await rules(cwd) }),
      skills,
      ...(servers && { servers: servers() }),
      ...(permissions && { permissions: permissions() }),
      cwd,
    };
  }

  /** Returns the same parts in the terms of pi's extensions. */
  async promptOptions(cwd: string, tools: readonly PromptTool[]): Promise<SystemPromptOptions> {
    const { toPromptOptions } = await import("./load-resources.ts");
    return toPromptOptions(await this.promptParts(cwd, tools));
  }

  /** Expands skill and template commands in a prompt. */
  async expand(cwd: string, text: string): Promise<string> {
    if (!text.startsWith("/")) return text;
    const { expandPrompt } = await import("./load-resources.ts");
    const { skills, templates } = await this.load(cwd);
    return expandPrompt(text, { skills, templates, hasSkillCommands: this.#hasSkillCommands }, this.#parts.warn);
  }

  /** Lists the commands, except those of extensions. */
  async commands(cwd: string): Promise<SlashCommand[]> {
    const { skillCommand, templateCommand } = await import("./load-resources.ts");
    const { skills, templates } = await this.load(cwd);
    return [...(this.#hasSkillCommands ? skills.map(skillCommand) : []), ...templates.map(templateCommand)];
  }

  async load(cwd: string): Promise<LoadedResources> {
    const { home, userHome } = this.#parts;
    const further = await this.#askFurther(cwd);
    const { loadResources } = await import("./load-resources.ts");
    // No await from here on, so concurrent callers read everything only once.
    const isTrusted = this.#parts.isTrusted();
    const settings = { skills: this.#settingsPaths("skills", cwd), prompts: this.#settingsPaths("prompts", cwd) };
    const key = JSON.stringify([cwd, isTrusted, settings, further]);
    if (this.#loaded?.key === key) return this.#loaded.resources;
    const warnings = new Set<string>();
    const warn = (text: string) => void warnings.add(text);
    const resources = loadResources({ cwd, home, userHome, isTrusted, options: this.#parts, settings, further, warn });
    this.#warn([...warnings]);
    this.#loaded = { key, resources };
    return resources;
  }

  /** Sets the source of additional paths, which is queried once per directory, on the next use. */
  discoverWith(discover: Discover): void {
    this.#discover = discover;
    this.#further = undefined;
    this.#changes += 1;
  }

  /** Discards everything; the next use reads it again. */
  forget(): void {
    this.#changes += 1;
    this.#loaded = undefined;
    this.#further = undefined;
    this.#isAgain = true;
    this.#shownWarnings.clear();
  }

  #askFurther(cwd: string): Promise<FurtherPaths> {
    if (this.#further?.cwd !== cwd) {
      this.#further = { cwd, paths: this.#discover(this.#isAgain ? "reload" : "startup") };
    }
    return this.#further.paths;
  }

  get #hasSkillCommands(): boolean {
    return this.#parts.settings.get("enableSkillCommands");
  }

  #settingsPaths(key: "skills" | "prompts", cwd: string): SettingsPaths {
    const { settings } = this.#parts;
    const { layer, file } = settings.origin(key);
    return { paths: settings.get(key), layer, baseDir: file === undefined ? cwd : dirname(file) };
  }

  #warn(warnings: readonly string[]): void {
    const fresh = warnings.filter((text) => !this.#shownWarnings.has(text));
    for (const text of fresh) this.#shownWarnings.add(text);
    for (const text of fresh.slice(0, MAX_WARNINGS)) this.#parts.warn(text);
    const more = fresh.length - MAX_WARNINGS;
    if (more > 0) this.#parts.warn(`${more} more files of this kind have problems`);
  }
}

/** Returns a key that covers only what the prompt shows, so that other changes to a tool do not change it. */
function toPromptTool(tool: PromptTool): PromptTool {
  return { name: tool.name, ...readToolTexts(tool) };
}
