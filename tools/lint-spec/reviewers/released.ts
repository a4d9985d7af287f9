import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { asRecord } from '../../../server/contract/json-record.js';
import { RELEASES } from '../../contract-files/versions.js';
import { readYaml, YamlError } from '../../generator/check/yaml.js';
import type { Reviewer } from './reviewer.js';

const VERSION = /^\d[0-9A-Za-z.+-]*$/;

/** Finds that a contract has the version of a released one, and says something else. */
export const released: Reviewer = async ({ content, text }) => {
  const { version } = asRecord(asRecord(content)['info']);
  if (typeof version !== 'string' || !VERSION.test(version)) return [];
  const file = join(RELEASES, `${version}.yaml`);
  const kept = await readFile(file, 'utf8').catch(() => text);
  if (kept === text || isDeepStrictEqual(contentOf(kept), content)) return [];
  return [
    {
      rule: 'released/version',
      severity: 'error',
      pointer: '/info/version',
      message: `Version ${version} is released, and ${file} says something else`,
      remedy: 'Raise the version, or take the change back; `npm run spec:review` says how far.',
    },
  ];
};

function contentOf(text: string): unknown {
  try {
    return readYaml(text).content;
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return undefined;
  }
}
