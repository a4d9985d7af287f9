import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const { resolve } = createRequire(import.meta.url);
const read = (file) => readFileSync(resolve(`roster-contract/${file}`), 'utf8');

/** Reads the contract in each of its forms. */
export async function check() {
  const [contract, dereferenced] = ['openapi.json', 'openapi.dereferenced.json'].map((file) => JSON.parse(read(file)));
  const [paths, others] = [contract, dereferenced].map(({ paths }) => Object.keys(paths).join());
  if (!paths.includes('/projects') || paths !== others) {
    throw new Error('The forms of the contract have different addresses.');
  }
  if (!read('openapi.yaml').includes(`version: ${contract.info.version}\n`)) {
    throw new Error('The forms of the contract have different versions.');
  }
}
