import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { asRecord } from '../../contract/json-record.js';

/** The list of bundled packages with licences, as Vite writes it; relative to the root. */
const LICENCES = ['dist/server/bundle/licences.md', 'dist/server/console/licences.md'];

/** Packages whose files are copied, and not bundled. */
const COPIED = ['swagger-ui-dist'];

/** The heading of a package in such a file: `## pg - 8.23.1 (MIT)`; some packages do not name their licence. */
const HEADING = /^## (\S{1,214}) - (\S{1,100})(?: \((.{1,200})\))?$/gm;

/** An SPDX identifier, and not an expression. */
const IDENTIFIER = /^[A-Za-z0-9.+-]+$/;

/** A package that is delivered. */
interface Component {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression; undefined if the package does not name its licence. */
  readonly licence: string | undefined;
}

/**
 * Returns the software bill of materials of the package of the service, as CycloneDX 1.6 (ECMA-424): what is bundled in it,
 * what its pages copy, and what is installed with it.
 * @param folder the root of the project, which is built
 * @throws if the build has not written what it bundled
 */
export function writeSbom(folder: string, version: string): string {
  const parts = [
    ...listBundled(folder),
    ...COPIED.map((name) => readInstalled(folder, name)),
    ...listInstalled(folder),
  ];
  const byPurl = new Map(parts.map((part) => [purlOf(part), part]));
  const sorted = [...byPurl].sort(([one], [other]) => (one < other ? -1 : 1));
  const root = { name: 'roster', version, licence: 'MIT' };
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', 'bom-ref': purlOf(root), ...describe(root) } },
    components: sorted.map(([purl, part]) => ({ type: 'library', 'bom-ref': purl, ...describe(part) })),
    dependencies: [{ ref: purlOf(root), dependsOn: sorted.map(([purl]) => purl) }],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function describe({ name, version, licence }: Component) {
  const [scope, rest] = name.startsWith('@') ? name.split('/', 2) : [undefined, name];
  return {
    ...(scope && { group: scope }),
    name: rest ?? name,
    version,
    purl: purlOf({ name, version }),
    licenses: [licence === undefined ? { license: { name: 'unnamed' } } : asLicence(licence)],
  };
}

function asLicence(licence: string) {
  return IDENTIFIER.test(licence) ? { license: { id: licence } } : { expression: licence };
}

/** Returns the address of a package, as https://github.com/package-url/purl-spec has it. */
function purlOf({ name, version }: Pick<Component, 'name' | 'version'>): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

function listBundled(folder: string): Component[] {
  return LICENCES.flatMap((file) => {
    const path = join(folder, file);
    if (!existsSync(path)) throw new Error(`there is no ${file}; npm run build`);
    return Array.from(readFileSync(path, 'utf8').matchAll(HEADING), ([, name = '', version = '', licence]) => ({
      name,
      version,
      licence: licence ?? findOldLicence(folder, name),
    }));
  });
}

/** Old packages list their licences in `licenses`. */
function findOldLicence(folder: string, name: string): string | undefined {
  const { licenses } = readManifest(folder, name);
  const [first] = Array.isArray(licenses) ? licenses : [];
  const { type } = asRecord(first);
  return typeof type === 'string' ? type : undefined;
}

/** The dependencies that npm installs with the package, with theirs. */
function listInstalled(folder: string): Component[] {
  const found = new Map<string, Component>();
  const visit = (name: string) => {
    if (found.has(name)) return;
    found.set(name, readInstalled(folder, name));
    for (const next of Object.keys(asRecord(readManifest(folder, name)['dependencies']))) visit(next);
  };
  const { dependencies } = asRecord(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
  for (const name of Object.keys(asRecord(dependencies))) visit(name);
  return [...found.values()];
}

function readInstalled(folder: string, name: string): Component {
  const { version, license } = readManifest(folder, name);
  const licence = typeof license === 'string' ? license : findOldLicence(folder, name);
  return { name, version: String(version), licence };
}

function readManifest(folder: string, name: string): Record<string, unknown> {
  const path = join(folder, 'node_modules', name, 'package.json');
  return existsSync(path) ? asRecord(JSON.parse(readFileSync(path, 'utf8'))) : {};
}
