import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { listFiles } from './list-files.js';
import { readImports } from './read-imports.js';

/**
 * The rooms of a folder, from the ground up: a file imports from its own room and from those before it. `.` has the
 * files beside the rooms; where it is left out, these import and are imported freely.
 */
const ORDERS: Readonly<Record<string, readonly string[]>> = {
  '': [
    ...['generated', 'contract', 'client', 'prediction', 'server', 'testkit', 'review', 'examples', 'tools', 'bench'],
    ...['contract-tests', 'console'],
  ],
  'server/': [
    ...['common', 'problems', 'work', 'store', 'auth', 'databases', 'edge', 'api', 'projects', 'models'],
    ...['resources', 'agents', 'mcp', 'openai', 'telemetry', 'pages', 'oauth', '.', 'commands'],
  ],
  'prediction/src/': [
    ...['text', 'kernel', 'table', 'trees', 'findings', 'model', 'intervals', 'calibration', 'training'],
    ...['promises', 'rows', 'io', 'serving', 'tasks', 'misses', 'record', 'onnx', '.'],
  ],
  'console/src/': [
    ...[
      'router',
      'session',
      'plots',
      'ui',
      'findings',
      'tables',
      'training',
      'predictions',
      'key',
      'models',
      'resources',
    ],
    ...['answers', 'documents'],
  ],
};

/** Separate packages: other folders import them by name, and so only what their `exports` have. */
const PACKAGES = ['client/', 'prediction/'];

/** The entry points of `roster-prediction` that the service and its pages may use. */
const FACES = /^roster-prediction\/(text|reading|training|predicting|recording|arrow|browser)$/;

type Imports = ReturnType<typeof readImports>;

/** Those of all code that someone has written; tests may import anything. */
const imports = readImports(
  listFiles('.', /(?<!\.test|\.test-d)\.tsx?$/).filter((path) => !/^generated\/|\/kernel\/assembly\//.test(path)),
);

test.each(Object.keys(ORDERS))('the rooms of /%s import in one direction', (folder) => {
  expect(findImportsBack(folder, imports)).toEqual([]);
});

test('an import that points back is named', () => {
  const back = new Map([['server/store/index.ts', ['server/api/route.ts', 'server/common/gate.ts']]]);
  expect(findImportsBack('server/', back)).toEqual(['server/store/index.ts imports server/api/route.ts']);
  expect(findImportsBack('', new Map([['testkit/root.ts', ['bench/load.ts']]]))).toEqual([
    'testkit/root.ts imports bench/load.ts',
  ]);
});

test('packages are imported by their names, and import no other folder than generated/', () => {
  const packageOf = (file: string) => PACKAGES.find((folder) => file.startsWith(folder));
  const byPath = [...imports].flatMap(([file, targets]) =>
    targets
      .filter((target) => /\.tsx?$/.test(target) && !target.startsWith('generated/'))
      .filter((target) => packageOf(target) !== packageOf(file))
      .map((target) => `${file} imports ${target}`),
  );
  expect(byPath).toEqual([]);
});

test('the service and its pages import the faces of roster-prediction', () => {
  const others = [...imports].flatMap(([file, targets]) =>
    /^(server|console)\//.test(file)
      ? targets.filter((target) => target.startsWith('roster-prediction') && !FACES.test(target))
      : [],
  );
  expect(others).toEqual([]);
});

test('review/ imports contract/ alone, and what reads the arguments of its command', () => {
  const others = [...imports].flatMap(([file, targets]) =>
    /^review\/src\//.test(file)
      ? targets.filter((target) => /^(?!contract\/|review\/|testkit\/command-line)\w+\/.*\.ts$/.test(target))
      : [],
  );
  expect(others).toEqual([]);
});

test('a file that is no entry point of a package cannot be imported', () => {
  const { resolve } = createRequire(import.meta.url);
  expect(() => resolve('roster-prediction/tasks/train.js')).toThrow(
    `Package subpath './tasks/train.js' is not defined by "exports"`,
  );
  expect(() => resolve('roster-client/facade/types.js')).toThrow(
    `Package subpath './facade/types.js' is not defined by "exports"`,
  );
});

test('no file imports itself by way of others, not even by its types', () => {
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
});

/** Finds imports from rooms that come later in the order of a folder. */
function findImportsBack(folder: string, imports: Imports): string[] {
  return [...imports].flatMap(([file, targets]) =>
    targets
      .filter((target) => (roomOf(folder, target) ?? 0) > (roomOf(folder, file) ?? Number.POSITIVE_INFINITY))
      .map((target) => `${file} imports ${target}`),
  );
}

/**
 * Returns the place of a file's room in the order of a folder; undefined for a file elsewhere, and beside rooms that
 * do not have it.
 */
function roomOf(folder: string, file: string): number | undefined {
  if (!file.startsWith(folder) || !/\.tsx?$/.test(file)) return undefined;
  const [room = '', ...rest] = file.slice(folder.length).split('/');
  const index = ORDERS[folder]?.indexOf(rest.length > 0 ? room : '.') ?? -1;
  if (index >= 0) return index;
  if (rest.length === 0) return undefined;
  throw new Error(`${file} is in a room without a place in the order`);
}
