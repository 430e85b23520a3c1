export declare function scratchPath(parent?: string): string;
export declare function scratchDirectory(parent?: string): { path: string } & Disposable;
