import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import type { Asset } from './asset.js';
import { escaped, page } from './page.js';

/** A version of the contract that the build has files of. */
export interface ContractVersion {
  readonly version: string;
  /** Whether it is released, and so never changes. */
  readonly isReleased: boolean;
}

const FOLDER = new URL('../../contract/', import.meta.url);

const versionList = v.array(v.object({ version: v.string(), isReleased: v.boolean() }));

/**
 * Reads the list of the contract's versions, the newest first.
 * @throws if the build has not written it
 */
export function readContractVersions(): ContractVersion[] {
  const file = new URL('versions.json', FOLDER);
  try {
    return v.parse(versionList, JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    throw new Error(`${fileURLToPath(file)} cannot be read: npm run build`, { cause });
  }
}

/** The forms of each version, by the end of the file's name. */
const FORMS = {
  '.yaml': { type: 'application/yaml', about: 'as it was written' },
  '.json': { type: 'application/json', about: 'the same as JSON' },
  '.dereferenced.json': {
    type: 'application/json',
    about:
      'JSON in which each reference is replaced by what it leads to, for tools that follow none',
  },
} as const;

/** Returns the files of the versions, by name. They are the same under every base path. */
export function contractFiles(versions: readonly ContractVersion[]): (readonly [string, Asset])[] {
  return versions.flatMap(({ version, isReleased }) =>
    Object.entries(FORMS).map(([end, { type }]) => {
      const name = `${version}${end}`;
      return [name, { type, isImmutable: isReleased, read: () => readFile(new URL(name, FOLDER)) }];
    }),
  );
}

/** Returns the detail of the problem that an address names a file of no version. */
export function noSuchContractFile(name: string, versions: readonly ContractVersion[]): string {
  const known = versions.map(({ version }) => version).join(', ');
  const ends = Object.keys(FORMS).join(', ');
  return `There is no ${name} of the contract. Its versions are ${known}, each with the ends ${ends}.`;
}

/** Renders the page `/openapi`: the versions of the contract, and their files. */
export function versionsPage(versions: readonly ContractVersion[]): string {
  const forms = Object.entries(FORMS).map(
    ([end, { about }]) => `<dt><code>${end}</code></dt>\n<dd>${about}</dd>`,
  );
  return page({
    title: 'Versions',
    root: './',
    content: `<main class="text">
<h1>Versions of the contract</h1>
<p>A released version never changes. The file <a href="./openapi.yaml">openapi.yaml</a> is always the version that this service runs.</p>
<dl>
${versions.map(entry).join('\n')}
</dl>
<h2>Forms</h2>
<dl>
${forms.join('\n')}
</dl>
</main>`,
  });
}

function entry({ version, isReleased }: ContractVersion): string {
  const links = Object.keys(FORMS).map((end) => {
    const name = escaped(version + end);
    return `<a href="./openapi/${name}">${name}</a>`;
  });
  const state = isReleased ? '' : ' · not released yet';
  return `<dt>${escaped(version)}${state}</dt>\n<dd>${links.join('<br>')}</dd>`;
}
