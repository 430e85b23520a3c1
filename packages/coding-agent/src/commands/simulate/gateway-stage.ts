import { Player, type Scenario, SimulatedGateway } from "@pintle/simulator";
import { complain } from "../../cli/print.ts";
import { crash } from "./crash.ts";
import { type HostListener, listenOnSocket, listenOnWeb } from "./host-listener.ts";

export interface GatewayPlace {
  socket: string | undefined;
  listen: string | undefined;
}

/** Plays the scenario behind a gateway, until the last host disconnects. */
export async function playAsGateway(scenario: Scenario, patienceMs: number, place: GatewayPlace): Promise<void> {
  const gateway = new SimulatedGateway({
    state: scenario.answers?.get_state ?? {},
    onFrame: (frame) => player.receive(JSON.stringify(frame)),
    isAwaited: (frame) => player.isAwaited(frame),
  });
  const player: Player = new Player(scenario, {
    crash,
    patienceMs,
    gateway,
    write: (text) => gateway.write(text),
  });
  const listener: HostListener = {
    opened: (connection) => gateway.connected(connection),
    line: (connection, text) => gateway.receive(connection, text),
    closed(connection) {
      const isLast = gateway.disconnected(connection);
      if (isLast) player.hostClosed();
    },
  };
  const stops = [
    ...(place.socket === undefined ? [] : [await listenOnSocket(place.socket, listener)]),
    ...(place.listen === undefined ? [] : [listenOnWeb(place.listen, listener)]),
  ];
  complain(`listening on ${stops.map(({ address }) => address).join(" and ")}`);
  try {
    await player.play();
  } finally {
    for (const { stop } of stops) stop();
  }
}
