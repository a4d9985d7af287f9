import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A place where the project's version stands. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly version: string;
}

/** Patterns that match the version alone. Each finds at least one. */
const PATTERNS: Readonly<Record<string, readonly RegExp[]>> = {
  'package.json': [/(?<=^ {2}"version": ")[^"]+/gm, /(?<="roster-(?:client|prediction)": ")[^"]+/g],
  'client/package.json': [/(?<=^ {2}"version": ")[^"]+/gm],
  'python/pyproject.toml': [/(?<=^version = ")[^"]+/gm],
  'prediction/package.json': [/(?<=^ {2}"version": ")[^"]+/gm],
  'review/package.json': [/(?<=^ {2}"version": ")[^"]+/gm],
  'package-lock.json': [
    /(?<=^ {2}"version": ")[^"]+/gm,
    /(?<=^ {4}"(?:|client|prediction|review)": \{\n(?: {6}"name".*\n)? {6}"version": ")[^"]+/gm,
    // Not the path of its command.
    /(?<="roster-(?:client|prediction)": ")\d[^"]*/g,
  ],
  'openapi.yaml': [
    /(?<=^ {2}version: )\S+/gm,
    // The example of `getStatus`.
    /(?<=value: \{ version: )[^,\s]+/g,
    /(?<=mindsdb_version: )\d[^,\s]+/g,
  ],
};

const SEMVER = String.raw`\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?`;

/** Names of packages as files, of the project as an action, and of its image, in texts for users. */
const IN_TEXTS = [
  new RegExp(String.raw`(?<=\broster(?:-client|-prediction|-review|-contract)?-)${SEMVER}(?=\.tgz)`, 'g'),
  new RegExp(`(?<=/roster@v)${SEMVER}`, 'g'),
  new RegExp(String.raw`(?<=\broster-)${SEMVER}(?=-py3-none-any\.whl)`, 'g'),
  new RegExp(`(?<=/roster:)${SEMVER}`, 'g'),
];

/** Finds the version in every file that names it. */
export function listPlaces(root: string): Place[] {
  return [...patternsByFile(root)].flatMap(([file, patterns]) => {
    const text = read(root, file);
    return patterns.flatMap((pattern) =>
      Array.from(text.matchAll(pattern), ({ 0: version, index }) => {
        return { file, line: text.slice(0, index).split('\n').length, version };
      }),
    );
  });
}

/** Returns the files that may name the version. */
export const searchedFiles = (root: string): string[] => [...patternsByFile(root).keys()];

/**
 * Returns the version that all places name.
 * @throws with the places, if one names another than package.json
 */
export function versionInStep(root: string): string {
  const places = listPlaces(root);
  const version = places[0]?.version ?? '';
  const others = places.filter((place) => place.version !== version);
  if (others.length > 0) {
    const lines = others.map(({ file, line, version }) => `\n  ${file}:${line}: ${version}`);
    throw new Error(`package.json has the version ${version}, but not so:${lines.join('')}`);
  }
  return version;
}

/** Returns the files that name the version, with another in its place. */
export function withVersion(root: string, version: string): Map<string, string> {
  const files = new Map<string, string>();
  for (const [file, patterns] of patternsByFile(root)) {
    const text = read(root, file);
    const raised = patterns.reduce((now, pattern) => now.replaceAll(pattern, version), text);
    if (raised !== text) files.set(file, raised);
  }
  return files;
}

function patternsByFile(root: string): Map<string, readonly RegExp[]> {
  const docs = ['docs', 'docs/agents', 'docs/models'].flatMap((folder) =>
    readdirSync(join(root, folder)).flatMap((name) => (name.endsWith('.md') ? [`${folder}/${name}`] : [])),
  );
  const texts = [
    'README.md',
    'client/README.md',
    'prediction/README.md',
    'review/README.md',
    'python/README.md',
    'examples/README.md',
    'examples/systemd/roster.service',
    'examples/kubernetes/roster.yaml',
  ];
  return new Map([...Object.entries(PATTERNS), ...[...texts, ...docs].map((file) => [file, IN_TEXTS] as const)]);
}

const read = (root: string, file: string) => readFileSync(join(root, file), 'utf8');
