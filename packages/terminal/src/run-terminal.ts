import { ChildEngine } from "./engine/child-engine.ts";
import type { Engine } from "./engine/engine.ts";
import { GatewayEngine } from "./engine/gateway-engine.ts";
import { FEATURES } from "./features/features.ts";
import type { TerminalOptions } from "./options.ts";
import { Terminal } from "./terminal.ts";

/** Shows a session in the terminal of this process until the user leaves it. Returns the exit code. */
export function runTerminal(options: TerminalOptions): Promise<number> {
  const terminal = new Terminal(options);
  for (const install of FEATURES) install(terminal);
  return terminal.run(createEngine(options));
}

function createEngine({ command, args, attach, cwd }: TerminalOptions): Engine {
  if (!attach) return new ChildEngine({ command, args, cwd });
  const { place, sessionId } = attach;
  return new GatewayEngine({ attach: place, cwd, ...(sessionId !== undefined && { sessionId }) });
}
