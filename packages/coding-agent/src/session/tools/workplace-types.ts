// Types that a mode passes to the tools of its session; the tools that use them declare them.
export type { HostCall, HostFiles, HostTerminal, HostUris, HostWorkplace } from "../../tools/host-workplace.ts";
