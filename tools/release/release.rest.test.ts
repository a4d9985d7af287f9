import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { contractVersions } from '../../contract/versions.js';
import { root } from '../../testkit/root.js';
import { raise, release } from './release.js';
import { listPlaces, searchedFiles, versionInStep } from './versions.js';

const project = fileURLToPath(root);

test('all versions of the project are in step', () => {
  const version = versionInStep(project);
  expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  const files = new Set(listPlaces(project).map(({ file }) => file));
  expect([...files]).toEqual(
    expect.arrayContaining(['package.json', 'package-lock.json', 'openapi.yaml', 'docs/frontend.md']),
  );
  // Its own five, and those of its two packages among its dependencies.
  expect(listPlaces(project).filter(({ file }) => file === 'package-lock.json')).toHaveLength(7);
});

describe('in a project', () => {
  const version = '7.1.0';
  const changelog = (sections: string) => `# Changelog\n\nChanges.\n\n${sections}`;
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'roster-release-'));
    for (const file of searchedFiles(project)) cpSync(join(project, file), join(folder, file));
    writeFileSync(join(folder, 'CHANGELOG.md'), changelog('## Unreleased\n\n- Faster.\n'));
    raise(folder, version);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const make = (changes: Partial<Parameters<typeof release>[1]> = {}) =>
    release(folder, {
      version,
      date: '2027-02-01',
      makeFixture: async (fixture) => writeFileSync(join(fixture, 'store'), 'rows'),
      ...changes,
    });
  const read = (file: string) => readFileSync(join(folder, file), 'utf8');
  const append = (file: string, text: string) => writeFileSync(join(folder, file), read(file) + text);
  const everything = () =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name), 'utf8')]);

  test('the next version is written wherever the last one stood', () => {
    expect(new Set(listPlaces(folder).map((place) => place.version))).toEqual(new Set([version]));
    expect(read('docs/frontend.md')).toContain(`roster-client-${version}.tgz`);
    expect(JSON.parse(read('package-lock.json')).packages).toMatchObject({
      '': { version, devDependencies: { 'roster-client': version, 'roster-prediction': version } },
      client: { version },
      prediction: { version },
    });
  });

  test('a release keeps the contract and a fixture, and dates what is unreleased', async () => {
    await make();
    expect(read(`docs/contract/${version}.yaml`)).toBe(read('openapi.yaml'));
    expect(read(`contract-tests/releases/${version}/store`)).toBe('rows');
    expect(read('CHANGELOG.md')).toBe(changelog(`## Unreleased\n\n## ${version}, 2027-02-01\n\n- Faster.\n`));
  });

  test('another contract of a released version is refused, and so is a second release', async () => {
    await make();
    await expect(make()).rejects.toThrow(`${version} is released`);
    append('openapi.yaml', 'x-changed: true\n');
    const versions = () => contractVersions(join(folder, 'openapi.yaml'), join(folder, 'docs/contract'));
    expect(versions).toThrow(`version ${version} is released`);
    raise(folder, '7.1.1');
    expect(versions().map((one) => one.version)).toEqual(['7.1.1', version]);
    expect(() => raise(folder, '7.0.9')).toThrow('does not come after');
  });

  test.each([
    ['an unknown date', { date: '1.2.2027' }, 'is not a date'],
    ['a version that is none', { version: '8' }, 'has the version 7.1.0'],
    ['a version that the project has not', { version: '7.2.0' }, '--next 7.2.0'],
    ['a fixture that fails', { makeFixture: () => Promise.reject(new Error('no room')) }, 'no room'],
  ])('nothing is written for %s', async (_, changes, words) => {
    const before = everything();
    await expect(make(changes)).rejects.toThrow(words);
    expect(everything()).toEqual(before);
    expect(existsSync(join(folder, 'docs/contract'))).toBe(false);
  });

  test('versions out of step are reported with their places', async () => {
    writeFileSync(join(folder, 'client/package.json'), read('client/package.json').replace(version, '7.0.0'));
    await expect(make()).rejects.toThrow(/\n {2}client\/package\.json:3: 7\.0\.0$/);
  });

  test.each([
    ['no section', changelog('## 7.0.0, 2027-01-01\n\n- Slow.\n'), 'there is no section'],
    ['an empty section', changelog('## Unreleased\n\n## 7.0.0, 2027-01-01\n\n- Slow.\n'), 'says nothing'],
    ['a section of the version', changelog(`## ${version}, 2027-01-01\n`), 'already'],
  ])('a changelog with %s is refused', async (_, text, words) => {
    writeFileSync(join(folder, 'CHANGELOG.md'), text);
    await expect(make()).rejects.toThrow(words);
  });
});
