import { dirname, join } from "node:path";
import { findProjectRoot, type ProjectRoot } from "./places/project-root.ts";
import {
  isSamePlace,
  namedPlaces,
  type ResourcePlace,
  type ResourceSource,
  type SettingsPaths,
  settingsPlaces,
} from "./places/resource-places.ts";
import { findTemplates, type PromptTemplate } from "./prompts/find-templates.ts";
import { findSkills } from "./skills/find-skills.ts";
import type { Skill } from "./skills/skill.ts";
import { type ContextFile, findContextFiles } from "./system-prompt/context-files.ts";
import { readSystemFiles, type SystemFiles } from "./system-prompt/system-files.ts";

export { expandPrompt } from "./prompts/expand-prompt.ts";
export { skillCommand, templateCommand } from "./prompts/slash-commands.ts";
export { describeMachine } from "./system-prompt/machine.ts";
export { toPromptOptions } from "./system-prompt/prompt-options.ts";
export { buildSystemPrompt } from "./system-prompt/system-prompt.ts";

/** What to load. Resources that are not set are discovered. */
export interface ResourceOptions {
  hasContextFiles?: boolean;
  /** If false, loads only the resources that are named. */
  hasSkills?: boolean;
  /** Patterns for the names of discovered skills. */
  skillFilter?: readonly string[] | undefined;
  skillPaths?: readonly string[];
  hasTemplates?: boolean;
  templatePaths?: readonly string[];
}

/** Additional paths from extensions, absolute or relative to the working directory. */
export interface FurtherPaths {
  skillPaths: readonly string[];
  promptPaths: readonly string[];
}

export interface ResourceInput {
  cwd: string;
  /** pintle's own directory. */
  home: string;
  userHome: string;
  isTrusted: boolean;
  options: ResourceOptions;
  settings: { skills: SettingsPaths; prompts: SettingsPaths };
  further: FurtherPaths;
  warn(text: string): void;
}

export interface LoadedResources {
  systemFiles: SystemFiles;
  contextFiles: ContextFile[];
  skills: Skill[];
  templates: PromptTemplate[];
}

/** All content for the model that users and projects provide. Nothing here is executed. */
export function loadResources(input: ResourceInput): LoadedResources {
  const { cwd, home, userHome, isTrusted, options, warn } = input;
  const project = findProjectRoot(cwd, userHome);
  const within = isTrusted ? undefined : project.boundary;
  return {
    systemFiles: readSystemFiles({ cwd, home, within }, warn),
    contextFiles: options.hasContextFiles === false ? [] : findContextFiles({ cwd, home, userHome, isTrusted, warn }),
    skills: loadSkills(input, project),
    templates: loadTemplates(input, project),
  };
}

function loadSkills(input: ResourceInput, project: ProjectRoot): Skill[] {
  const { cwd, home, userHome, isTrusted, options, further, warn } = input;
  const { skillFilter, skillPaths = [], hasSkills = true } = options;
  const agentsFolders = [project.cwd, ...project.above].map((folder) => join(folder, ".agents", "skills"));
  const discovered: ResourcePlace[] = [
    ...projectPlaces(input, project, [join(cwd, ".pintle", "skills")]).map((place) => ({
      ...place,
      hasSingleFiles: true as const,
    })),
    ...projectPlaces(input, project, agentsFolders),
    { path: join(home, "skills"), source: USER, hasSingleFiles: true },
    { path: join(userHome, ".agents", "skills"), source: USER },
    ...settingsPlaces(input.settings.skills, { userHome, boundary: project.boundary, isTrusted, warn }),
  ];
  const globs = skillFilter?.map((pattern) => new Bun.Glob(pattern));
  const places = [
    ...(hasSkills ? discovered : []),
    ...namedPlaces(skillPaths, input),
    ...(hasSkills ? namedPlaces(further.skillPaths, input, "extension") : []),
  ];
  const found = findSkills(places, warn);
  const isWanted = (name: string) => globs?.some((glob) => glob.match(name)) ?? true;
  return found.filter(({ name, source }) => source.origin === "named" || isWanted(name));
}

function loadTemplates(input: ResourceInput, project: ProjectRoot): PromptTemplate[] {
  const { cwd, home, userHome, isTrusted, options, further, warn } = input;
  const { templatePaths = [], hasTemplates = true } = options;
  const discovered: ResourcePlace[] = [
    ...projectPlaces(
      input,
      project,
      TEMPLATE_FOLDERS.map((name) => join(cwd, ".pintle", name)),
    ),
    ...TEMPLATE_FOLDERS.map((name) => ({ path: join(home, name), source: USER })),
    ...settingsPlaces(input.settings.prompts, { userHome, boundary: project.boundary, isTrusted, warn }),
  ];
  const places = [
    ...(hasTemplates ? discovered : []),
    ...namedPlaces(templatePaths, input),
    ...(hasTemplates ? namedPlaces(further.promptPaths, input, "extension") : []),
  ];
  return findTemplates(places, warn);
}

const TEMPLATE_FOLDERS = ["prompts", "commands"];
const USER: ResourceSource = { scope: "user", origin: "auto" };

/** Returns the discovered files, without the user's own. */
function projectPlaces(
  { home, userHome, isTrusted }: ResourceInput,
  { boundary }: ProjectRoot,
  paths: readonly string[],
): ResourcePlace[] {
  const within = isTrusted ? undefined : boundary;
  const usersOwn = [home, join(userHome, ".agents")];
  return paths
    .filter((path) => !usersOwn.some((folder) => isSamePlace(dirname(path), folder)))
    .map((path) => ({ path, source: { scope: "project", origin: "auto" }, within }));
}
