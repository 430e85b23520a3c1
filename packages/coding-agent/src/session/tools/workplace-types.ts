// What a mode hands to the tools of its session; declared by the tools that use it.
export type { HostCall, HostFiles, HostTerminal, HostUris, HostWorkplace } from "../../tools/host-workplace.ts";
