import manifest from "../package.json" with { type: "json" };

export const version: string = manifest.version;

/** The release of pi whose wire the dialect `pi` speaks: clients decide by it what they may ask for. */
export const PI_WIRE_VERSION = "0.87.1";
