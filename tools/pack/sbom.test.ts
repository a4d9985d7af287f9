import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { root } from '../../testkit/root.js';
import { writeSbom } from './sbom.js';

const { dependencies } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
const sbom = JSON.parse(writeSbom(fileURLToPath(root), '1.2.3'));

test('the bill of materials is one of CycloneDX, of the package that is delivered', () => {
  expect(sbom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1 });
  expect(sbom.metadata.component).toMatchObject({ type: 'application', name: 'roster', purl: 'pkg:npm/roster@1.2.3' });
});

test('it names what is bundled in the service and in its pages, what is copied, and what is installed with it', () => {
  const names = sbom.components.map((part: { group?: string; name: string }) =>
    [part.group, part.name].filter(Boolean).join('/'),
  );
  expect(names).toEqual(expect.arrayContaining(['pg', 'kysely', 'express', 'preact', 'swagger-ui-dist', 'busboy']));
  expect(names).toEqual(expect.arrayContaining(Object.keys(dependencies)));
  // Tools stay at home.
  for (const name of ['vite', 'vitest', 'typescript']) expect(names).not.toContain(name);
});

test('each part has a version, a distinct address, and a licence', () => {
  const refs = sbom.components.map((part: { 'bom-ref': string }) => part['bom-ref']);
  expect(new Set(refs).size).toBe(refs.length);
  expect(sbom.dependencies[0].dependsOn).toEqual(refs);
  for (const { version, purl, licenses } of sbom.components) {
    expect(version).toMatch(/^\d+\.\d+\.\d+/);
    expect(purl).toMatch(/^pkg:npm\/(%40[\w.-]+\/)?[\w.-]+@\d/);
    expect(licenses).toHaveLength(1);
    expect(JSON.stringify(licenses)).not.toContain('unnamed');
  }
});
