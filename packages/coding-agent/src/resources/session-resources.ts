import { dirname } from "node:path";
import type { Settings } from "../config/settings.ts";
import type { LoadedResources, ResourceWishes } from "./load-resources.ts";
import { localDate } from "./local-date.ts";
import type { SettingsPaths } from "./resource-places.ts";
import type { PromptRules } from "./rule-texts.ts";
import type { SlashCommand } from "./slash-commands.ts";
import type { PromptTool, SystemPromptParts } from "./system-prompt.ts";

export interface SessionResourcesParts extends ResourceWishes {
  /** pintle's own directory. */
  home: string;
  /** The user's home directory. */
  userHome: string;
  settings: Settings;
  isTrusted(): boolean;
  /** Stronger than SYSTEM.md. */
  systemPrompt?: SystemPromptParts["base"];
  /** Before APPEND_SYSTEM.md. */
  appendSystemPrompt?: readonly string[];
  /** Those that stand in the prompt; none when not given. */
  rules?(cwd: string): Promise<PromptRules>;
  warn(text: string): void;
  now(): number;
}

/** Found by extensions. */
export interface FurtherPaths {
  skillPaths?: readonly string[];
  templatePaths?: readonly string[];
}

const MAX_WARNINGS = 20;

/** The texts a session works with. Read when they are first needed, which is the first model call, and kept from then on. */
export class SessionResources {
  readonly #parts: SessionResourcesParts;
  #further: FurtherPaths = {};
  #loaded: { key: string; resources: LoadedResources } | undefined;
  #prompt: { cwd: string; madeFrom: readonly unknown[]; text: string } | undefined;

  constructor(parts: SessionResourcesParts) {
    this.#parts = parts;
  }

  /** As the model got it last in that directory; undefined when it was not called there since. */
  builtSystemPrompt(cwd: string): string | undefined {
    return this.#prompt?.cwd === cwd ? this.#prompt.text : undefined;
  }

  /** The same text as long as directory, tools, resources and consent are the same, also over midnight. */
  async systemPrompt(cwd: string, tools: readonly PromptTool[]): Promise<string> {
    const parts = await this.promptParts(cwd, tools);
    const { base, contextFiles, skills, rules } = parts;
    const madeFrom = [cwd, JSON.stringify(parts.tools), JSON.stringify(rules), base, contextFiles, skills];
    if (!this.#prompt?.madeFrom.every((part, index) => part === madeFrom[index])) {
      const { buildSystemPrompt } = await import("./load-resources.ts");
      this.#prompt = { cwd, madeFrom, text: buildSystemPrompt(parts, await localDate(this.#parts.now())) };
    }
    return this.#prompt.text;
  }

  /** What it is built from, for those who build another. */
  async promptParts(cwd: string, tools: readonly PromptTool[]): Promise<SystemPromptParts> {
    const { systemPrompt, appendSystemPrompt = [], rules } = this.#parts;
    const { systemFiles, contextFiles, skills } = await this.load(cwd);
    return {
      base: systemPrompt ?? systemFiles.base,
      append: [...appendSystemPrompt, ...(systemFiles.append === undefined ? [] : [systemFiles.append])],
      tools: tools.map(toPromptTool),
      contextFiles,
      ...(rules && { rules: await rules(cwd) }),
      skills,
      cwd,
    };
  }

  /** What a prompt stands for: skills and templates in place of their commands. */
  async expand(cwd: string, text: string): Promise<string> {
    if (!text.startsWith("/")) return text;
    const { expandPrompt } = await import("./load-resources.ts");
    const { skills, templates } = await this.load(cwd);
    return expandPrompt(text, { skills, templates, hasSkillCommands: this.#hasSkillCommands }, this.#parts.warn);
  }

  /** Without those of extensions. */
  async commands(cwd: string): Promise<SlashCommand[]> {
    const { skillCommand, templateCommand } = await import("./load-resources.ts");
    const { skills, templates } = await this.load(cwd);
    return [...(this.#hasSkillCommands ? skills.map(skillCommand) : []), ...templates.map(templateCommand)];
  }

  async load(cwd: string): Promise<LoadedResources> {
    const { home, userHome } = this.#parts;
    const isTrusted = this.#parts.isTrusted();
    const settings = { skills: this.#settingsPaths("skills", cwd), prompts: this.#settingsPaths("prompts", cwd) };
    const key = JSON.stringify([cwd, isTrusted, settings, this.#further]);
    if (this.#loaded?.key === key) return this.#loaded.resources;
    const { loadResources } = await import("./load-resources.ts");
    const wishes = this.#wishes();
    const warnings = new Set<string>();
    const warn = (text: string) => void warnings.add(text);
    const resources = loadResources({ cwd, home, userHome, isTrusted, wishes, settings, warn });
    this.#tell([...warnings]);
    this.#loaded = { key, resources };
    return resources;
  }

  /** Replaces those of the last time. */
  setFurtherPaths(paths: FurtherPaths): void {
    this.#further = paths;
  }

  /** Everything is read again when it is needed next. */
  forget(): void {
    this.#loaded = undefined;
  }

  get #hasSkillCommands(): boolean {
    return this.#parts.settings.get("enableSkillCommands");
  }

  #wishes(): ResourceWishes {
    const { skillPaths = [], templatePaths = [] } = this.#parts;
    return {
      ...this.#parts,
      skillPaths: [...skillPaths, ...(this.#further.skillPaths ?? [])],
      templatePaths: [...templatePaths, ...(this.#further.templatePaths ?? [])],
    };
  }

  #settingsPaths(key: "skills" | "prompts", cwd: string): SettingsPaths {
    const { settings } = this.#parts;
    const { layer, file } = settings.origin(key);
    return { paths: settings.get(key), layer, baseDir: file === undefined ? cwd : dirname(file) };
  }

  #tell(warnings: readonly string[]): void {
    for (const text of warnings.slice(0, MAX_WARNINGS)) this.#parts.warn(text);
    const more = warnings.length - MAX_WARNINGS;
    if (more > 0) this.#parts.warn(`${more} more files of this kind have problems`);
  }
}

/** Only what the prompt shows: the rest of a tool may change without changing it. */
function toPromptTool({ name, promptSnippet, promptGuidelines }: PromptTool): PromptTool {
  return { name, ...(promptSnippet !== undefined && { promptSnippet }), ...(promptGuidelines && { promptGuidelines }) };
}
