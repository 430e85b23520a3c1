import { readFileSync } from "node:fs";
import { errorText } from "@pintle/ai";
import { GatewayClient, RpcClosedError, RpcCommandError, RpcRefusedError } from "@pintle/client";
import { errorCode } from "@pintle/foundation";
import { complain } from "../../cli/print.ts";
import { UsageError } from "../../cli/usage-error.ts";
import { StartUpError } from "../../config/start-up-error.ts";
import { orEnding } from "../or-ending.ts";
import type { SERVER_FLAGS, SubcommandCall } from "../subcommand-flags.ts";

type ServerCall = Omit<SubcommandCall<typeof SERVER_FLAGS>, "words">;

/** Connects and returns the exit code of the action, or 1 if the server refuses it or cannot be reached. */
export async function withServer(call: ServerCall, use: (client: GatewayClient) => Promise<number>): Promise<number> {
  const client = new GatewayClient(wayTo(call));
  try {
    await orEnding(client.connect(), call.ending);
    return await orEnding(use(client), call.ending);
  } catch (error) {
    if (!isOfServer(error)) throw error;
    complain(error instanceof RpcCommandError ? error.error : errorText(error));
    return 1;
  } finally {
    client.end();
  }
}

function isOfServer(error: unknown): error is Error {
  if (error instanceof RpcCommandError || error instanceof RpcClosedError || error instanceof RpcRefusedError)
    return true;
  return error instanceof Error && /^E[A-Z]+$/.test(errorCode(error) ?? ""); // of a socket
}

function wayTo({ flags, env }: ServerCall): { url: string; token?: string } | { socket: string } {
  const server = flags.server ?? env.PINTLE_SERVER;
  if (!server) throw new UsageError("--server needs the server's address or the path of its socket");
  if (!/^(?:https?|wss?):\/\//.test(server)) return { socket: server };
  const token = readToken(flags["token-file"]) ?? env.PINTLE_SERVE_TOKEN;
  return { url: server, ...(token && { token }) };
}

function readToken(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    throw new StartUpError(`the token file cannot be read: ${errorText(error)}`);
  }
}
