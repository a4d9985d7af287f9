import { expect, test } from 'vitest';
import { listFiles, readImports } from './read-imports.js';

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

const CODE = /(?<!\.test|\.test-d)\.tsx?$/;

const imports = readImports(listFiles('server', CODE));

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
    const imports = readImports(listFiles(folder, CODE));
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

/** Returns the place of a file's room in the order. */
function roomOf(file: string): number {
  const [, room = '', ...rest] = file.split('/');
  const index = ROOMS.indexOf(rest.length > 0 ? room : '.');
  if (index < 0) throw new Error(`${file} is in a room without a place in the order`);
  return index;
}
