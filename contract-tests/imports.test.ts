import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path/posix';
import { parseSync } from 'rolldown/utils';
import { expect, test } from 'vitest';

/**
 * The rooms of the server, from the ground up: a file imports from its own room and from those
 * before it. The files beside the rooms come last.
 */
const ROOMS = [
  'common',
  'contract',
  'problems',
  'work',
  'store',
  'auth',
  'databases',
  'edge',
  'api',
  'projects',
  'models',
  'resources',
  'agents',
  'mcp',
  'openai',
  'telemetry',
  'pages',
  'oauth',
  '.',
  'commands',
];

/** Returns the imports of each file of a folder, those of types too, as paths from the project's folder. */
function readImports(folder: string): ReadonlyMap<string, readonly string[]> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path.replaceAll('\\', '/')))
    .filter((path) => /(?<!\.test|\.test-d)\.tsx?$/.test(path));
  return new Map(
    paths.map((path) => {
      const targets = importsIn(path, readFileSync(path, 'utf8'))
        .filter((name) => name.startsWith('.'))
        .map((name) => normalize(join(dirname(path), name.replace(/\.js$/, '.ts'))))
        .map((target) => (paths.includes(`${target}x`) ? `${target}x` : target));
      return [path, targets] as const;
    }),
  );
}

const imports = readImports('server');

test('the rooms of the server import in one direction', () => {
  const back = [...imports].flatMap(([file, targets]) =>
    targets
      .filter((target) => target.startsWith('server/') && roomOf(target) > roomOf(file))
      .map((target) => `${file} imports ${target}`),
  );
  expect(back).toEqual([]);
});

test('the service imports nothing of its tests and tools', () => {
  const outside = [...imports].flatMap(([file, targets]) =>
    targets
      .filter((target) => !/^(server|prediction|generated)\//.test(target))
      .map((target) => `${file} imports ${target}`),
  );
  expect(outside).toEqual([]);
});

test.each(['server', 'prediction/src', 'client/src', 'console/src', 'bench'])(
  'no file of %s imports itself by way of others, not even by its types',
  (folder) => {
    const imports = readImports(folder);
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (file: string, way: readonly string[]) => {
      if (way.includes(file)) circles.push([...way.slice(way.indexOf(file)), file].join(' → '));
      if (done.has(file) || way.includes(file)) return;
      for (const target of imports.get(file) ?? []) visit(target, [...way, file]);
      done.add(file);
    };
    for (const file of imports.keys()) visit(file, []);
    expect(circles).toEqual([]);
  },
);

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

/** Returns the place of a file's room in the order. */
function roomOf(file: string): number {
  const [, room = '', ...rest] = file.split('/');
  const index = ROOMS.indexOf(rest.length > 0 ? room : '.');
  if (index < 0) throw new Error(`${file} is in a room without a place in the order`);
  return index;
}
