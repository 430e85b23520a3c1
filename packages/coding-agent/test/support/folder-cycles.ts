/** An import of one source file by another, both as paths from the root of the repository. */
export interface FileEdge {
  from: string;
  to: string;
}

/**
 * Finds cycles among sibling folders, at every level below a package's `src`. A file belongs to each folder above it,
 * so an import between two folders is an edge between them, whatever subfolders it joins.
 */
export function folderCycles(edges: readonly FileEdge[]): string[] {
  const graph = new Map<string, Set<string>>();
  for (const { from, to } of edges) {
    const [a, b] = siblings(from, to);
    if (a === undefined || b === undefined) continue;
    graph.set(a, (graph.get(a) ?? new Set()).add(b));
  }
  return [...graph.keys()].sort().flatMap((folder) => {
    const cycle = wayBack(graph, folder);
    // Reported once, starting with the folder that comes first alphabetically.
    return cycle?.every((other) => folder <= other) ? [[folder, ...cycle].join(" → ")] : [];
  });
}

/** Returns the two folders at which the paths of the files diverge; none if one of them is a file. */
function siblings(from: string, to: string): [string?, string?] {
  const [a, b] = [from.split("/"), to.split("/")];
  let depth = 0;
  while (a[depth] === b[depth] && depth < a.length) depth += 1;
  const isFolder = (parts: readonly string[]) => depth < parts.length - 1;
  return isFolder(a) && isFolder(b) ? [a.slice(0, depth + 1).join("/"), b.slice(0, depth + 1).join("/")] : [];
}

/** Returns the shortest path from a folder to itself, without the first step. */
function wayBack(graph: ReadonlyMap<string, ReadonlySet<string>>, folder: string): string[] | undefined {
  const seen = new Set<string>();
  let ways: string[][] = [[folder]];
  while (ways.length > 0) {
    const next: string[][] = [];
    for (const way of ways) {
      for (const target of graph.get(way.at(-1) as string) ?? []) {
        if (target === folder) return [...way.slice(1), folder];
        if (seen.has(target)) continue;
        seen.add(target);
        next.push([...way, target]);
      }
    }
    ways = next;
  }
  return undefined;
}
