// Replaces the built-in tool `bash`: commands run through a program of your choice, in a container or on another machine.
//   pintle --extension examples/extensions/bash-elsewhere.ts --through='env PLACE=box sh -c' -p 'run echo $PLACE'
// For a container: --through='docker exec -i box sh -c', for a machine: --through='ssh box'. Commands that the user runs (`bash` over
// RPC) go there too. The files that read, write and edit work on stay here.
import { createBashTool, createLocalBashOperations, type ExtensionFactory } from "pintle";

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

const extension: ExtensionFactory = (pi) => {
  pi.registerFlag("through", {
    type: "string",
    description: "command line that receives each shell command as its last argument",
  });
  const redirect = (command: string) => {
    const through = pi.getFlag("through");
    return typeof through === "string" ? `${through} ${quote(command)}` : command;
  };

  pi.on("session_start", (_event, { cwd }) => {
    // Everything except the execution is the built-in tool's: name, parameters, output limits, progress.
    pi.registerTool(createBashTool(cwd, { spawnHook: (call) => ({ ...call, command: redirect(call.command) }) }));
  });

  const local = createLocalBashOperations();
  pi.on("user_bash", () => ({
    operations: { exec: (command, cwd, options) => local.exec(redirect(command), cwd, options) },
  }));
};

export default extension;
