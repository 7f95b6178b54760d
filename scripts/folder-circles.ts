/** A file and a file that it imports, as paths. */
export type Import = readonly [from: string, to: string];

/** The imports that form circles between the parts of one folder. */
export interface FolderCircles {
  folder: string;
  imports: Import[];
}

/**
 * Returns the circles of every folder, at every depth. The parts of a folder are its files and its child folders. What
 * is below a child folder counts as that child, so `a/x → b → a/y` is a circle.
 */
export function folderCircles(imports: readonly Import[]): FolderCircles[] {
  const folders = Map.groupBy(imports, ([from, to]) => commonFolder(from, to));
  return [...folders].flatMap(([folder, inside]) => {
    const circular = circularImports(inside, (file) => file.slice(folder.length).split("/", 1)[0] ?? "");
    return circular.length > 0 ? [{ folder, imports: circular }] : [];
  });
}

function circularImports(imports: readonly Import[], partOf: (file: string) => string): Import[] {
  const arrows = imports.filter(([from, to]) => partOf(from) !== partOf(to));
  const arrowsFrom = Map.groupBy(arrows, ([from]) => partOf(from));
  const reachableFrom = (start: string) => {
    const parts = new Set([start]);
    for (const part of parts) for (const [, to] of arrowsFrom.get(part) ?? []) parts.add(partOf(to));
    return parts;
  };
  return arrows.filter(([from, to]) => reachableFrom(partOf(to)).has(partOf(from)));
}

/** Returns the deepest folder that holds both, with a slash at its end. */
function commonFolder(one: string, other: string): string {
  let end = 0;
  for (let index = 0; index < one.length && one[index] === other[index]; index++)
    if (one[index] === "/") end = index + 1;
  return one.slice(0, end);
}
