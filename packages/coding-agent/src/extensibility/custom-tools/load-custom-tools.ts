import type { Logger } from "../logger.ts";
import { callFactory, importFactory } from "../modules/import-factory.ts";
import type { LoadFault } from "../modules/load-fault.ts";
import { type LoadLimits, loadTogether } from "../modules/load-together.ts";
import { forgetModules } from "../modules/loaded-modules.ts";
import { requireContext } from "./adapt-tool.ts";
import { createCustomToolApi } from "./api.ts";
import type { CustomToolSource } from "./discovery.ts";
import { type Joined, JoinedTools, type JoinRules, type LoadedTool } from "./joined-tools.ts";
import { notifyTools, type SessionBudgets, type SessionListener } from "./notify-session.ts";
import type { CustomToolSessionEvent } from "./types.ts";

// Loaded with the first module there is: it brings in the schema library.

export interface CustomToolsOptions extends JoinRules {
  logger: Logger;
  /** What `pintle` exports to modules. */
  publicExports(): Promise<object>;
  /** A tool failed to take note of a session event. */
  report(fault: LoadFault): void;
  limits?: LoadLimits;
  budgets?: SessionBudgets;
}

export interface CustomTools extends Joined {
  /** One for each module that was not ready in time. Each resolves, at the latest when its module counts as failed. */
  late: Promise<Joined>[];
  /** Everything that has joined so far, in load order. */
  all(): LoadedTool[];
  /** Never rejects. A tool that joins later still hears of the start. */
  notifySession(event: CustomToolSessionEvent): Promise<void>;
  /** Runs the modules again as they are on disk now. What of this set is still loading joins nobody any more. */
  reload(sources: readonly CustomToolSource[]): Promise<CustomTools>;
}

/** Imports all modules at once; their tools join in the order of the sources. A module's fault is an entry in `errors`. */
export async function loadCustomTools(
  sources: readonly CustomToolSource[],
  options: CustomToolsOptions,
): Promise<CustomTools> {
  const joined = new JoinedTools(options);
  let start: CustomToolSessionEvent | undefined;
  let isReplaced = false;
  const tell = (listeners: readonly SessionListener[], event: CustomToolSessionEvent) =>
    notifyTools(listeners, event, {
      context: () => requireContext(options.binding),
      report: options.report,
      ...(options.budgets && { budgets: options.budgets }),
    });

  const { inTime, late } = await loadTogether(sources, await createLoader(options), options.limits);
  const first = inTime.map((loaded) => joined.join(loaded));
  return {
    tools: first.flatMap(({ tools }) => tools),
    errors: first.flatMap(({ errors }) => errors),
    late: late.map(async (loading) => {
      const loaded = await loading;
      if (isReplaced) return { tools: [], errors: [] };
      const newcomers = joined.join(loaded);
      if (start) void tell(joined.listeners(new Set(newcomers.tools.map(({ path }) => path))), start);
      return newcomers;
    }),
    all: () => joined.list(sources),
    notifySession(event) {
      if (event.reason === "start") start = event;
      return tell(joined.listeners(), event);
    },
    reload(next) {
      isReplaced = true;
      forgetModules([...sources, ...next].map(({ realPath }) => realPath));
      return loadCustomTools(next, options);
    },
  };
}

/** Gives what the factory of a module makes, as a list. */
async function createLoader({ binding, logger, publicExports }: CustomToolsOptions) {
  // The names are given once in a process: extensions must find theirs too.
  const { provideAliases } = await import("../aliases/alias-modules.ts");
  const pi = await provideAliases(publicExports);
  const api = createCustomToolApi({ binding, logger, typebox: await import("typebox"), pi });
  return async (source: CustomToolSource): Promise<unknown[]> => {
    const made = await callFactory(await importFactory(source), api, source.path);
    return Array.isArray(made) ? made : [made];
  };
}
