import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import type { Contract } from '../../contract/document.js';
import { asRecord, type JsonRecord } from '../../contract/json-record.js';
import { type Asset, fileAsset } from './asset.js';
import { escapeHtml, renderPage } from './page.js';

/**
 * Returns the contract as JSON for this service: as in the file, but with all `servers` behind its base
 * path. The file itself describes a service without a base path.
 */
export function contractAsJson({ document }: Contract, basePath: string): string {
  const paths = Object.entries(document.paths).map(([path, item]) => [path, moveServers(basePath, item)]);
  return JSON.stringify({ ...moveServers(basePath, document), paths: Object.fromEntries(paths) });
}

/** Returns the document or a path item, whose servers are behind the base path. */
function moveServers(basePath: string, part: JsonRecord): JsonRecord {
  const { servers } = part;
  if (!Array.isArray(servers)) return part;
  const moved = servers.map((server) => {
    const { url, ...others } = asRecord(server);
    return { url: basePath && url === '/' ? basePath : `${basePath}${url}`, ...others };
  });
  return { ...part, servers: moved };
}

const FOLDER = new URL('../../openapi/', import.meta.url);

const versionList = v.array(v.object({ version: v.string(), isReleased: v.boolean() }));

/** The versions of the contract that the build has files of. A released one never changes. */
export type ContractVersions = v.InferOutput<typeof versionList>;

/**
 * Reads the list of the contract's versions, the newest first.
 * @throws if the build has not written it
 */
export function readContractVersions(): ContractVersions {
  const file = new URL('versions.json', FOLDER);
  try {
    return v.parse(versionList, JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    throw new Error(`${fileURLToPath(file)} cannot be read: npm run build`, { cause });
  }
}

/** The forms of each version, by the ending of the file's name. */
const FORMS = {
  '.yaml': 'as it was written',
  '.json': 'the same as JSON',
  '.dereferenced.json': 'JSON in which each reference is replaced by what it leads to, for tools that follow none',
};
const ENDINGS = Object.keys(FORMS);

/** Returns the files of the versions, by name. They are the same under every base path. */
export function contractFiles(versions: ContractVersions): (readonly [string, Asset])[] {
  return versions.flatMap(({ version, isReleased }) =>
    ENDINGS.map((ending) => {
      const name = version + ending;
      return [name, fileAsset(new URL(name, FOLDER), { isImmutable: isReleased })] as const;
    }),
  );
}

/** Returns the detail of the problem that an address names a file of no version. */
export function describeUnknownFile(name: string, versions: ContractVersions): string {
  const known = versions.map(({ version }) => version).join(', ');
  return `There is no ${name} of the contract. Its versions are ${known}, each with the ends ${ENDINGS.join(', ')}.`;
}

/** Renders the page `/openapi`: the versions of the contract, and their files. */
export function renderVersions(versions: ContractVersions): string {
  const entries = versions.map(({ version, isReleased }) => {
    const links = ENDINGS.map((ending) => {
      const name = escapeHtml(version + ending);
      return `<a href="./openapi/${name}">${name}</a>`;
    });
    const state = isReleased ? '' : ' · not released yet';
    return `<dt>${escapeHtml(version)}${state}</dt>\n<dd>${links.join('<br>')}</dd>`;
  });
  const forms = Object.entries(FORMS).map(([ending, about]) => `<dt><code>${ending}</code></dt>\n<dd>${about}</dd>`);
  return renderPage({
    title: 'Versions',
    root: './',
    content: `<main class="text">
<h1>Versions of the contract</h1>
<p>A released version never changes. The file <a href="./openapi.yaml">openapi.yaml</a> is always the version that this service runs.</p>
<dl>
${entries.join('\n')}
</dl>
<h2>Forms</h2>
<dl>
${forms.join('\n')}
</dl>
</main>`,
  });
}
