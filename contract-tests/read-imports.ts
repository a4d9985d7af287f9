import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path/posix';
import { parseSync } from 'rolldown/utils';

/** Returns the imports of each of some files, those of types too: paths from the project's folder, and names of packages. */
export function readImports(paths: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const known = new Set(paths);
  const targetOf = (path: string, name: string) => {
    if (!name.startsWith('.')) return name;
    const target = normalize(join(dirname(path), name.replace(/\.js$/, '.ts')));
    return known.has(`${target}x`) ? `${target}x` : target;
  };
  return new Map(
    paths.map((path) => [path, importsIn(path, readFileSync(path, 'utf8')).map((name) => targetOf(path, name))]),
  );
}

/** Returns what a file imports or hands on, those that it imports when it needs them too. */
function importsIn(path: string, text: string): string[] {
  const { staticImports, staticExports, dynamicImports } = parseSync(path, text).module;
  const requests = [
    ...staticImports.map(({ moduleRequest }) => moduleRequest),
    ...staticExports.flatMap(({ entries }) => entries.flatMap((one) => one.moduleRequest ?? [])),
    ...dynamicImports.map(({ moduleRequest }) => moduleRequest),
  ];
  const quoted = requests.map(({ start, end }) => text.slice(start, end));
  return [...new Set(quoted.map((name) => name.replaceAll(/^['"]|['"]$/g, '')))];
}
