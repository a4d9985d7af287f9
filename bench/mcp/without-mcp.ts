import { hash } from 'node:crypto';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dump } from 'js-yaml';
import { asRecord } from '../../contract/json-record.js';
import { CONTRACT_AS_JSON } from '../../generated/contract.js';
import { root } from '../../testkit/root.js';

/** The program of the service, module by module: of a bundle, nothing can be taken out. */
export const RUN = fileURLToPath(new URL('dist/server/run.js', root));

/**
 * Copies the built service to a folder, and takes MCP out: its operations, and its code.
 * @returns the program to run
 */
export async function copyWithoutMcp(folder: string): Promise<string> {
  const from = (file: string) => fileURLToPath(new URL(file, root));
  const to = (file: string) => join(folder, file);
  await mkdir(folder);
  await symlink(from('node_modules'), to('node_modules'));
  for (const file of ['package.json', 'CHANGELOG.md']) await cp(from(file), to(file));
  for (const part of ['contract', 'server', 'generated', 'openapi']) {
    await cp(from(`dist/${part}`), to(`dist/${part}`), { recursive: true });
  }
  await writeFile(to('dist/server/mcp/mcp.js'), 'export const mcpOperations = () => ({});\n');
  await writeContract(to('openapi.yaml'), to('dist/generated/contract.js'));
  return to('dist/server/run.js');
}

/** Writes the contract without the operations of MCP, and says that the service was built from it. */
async function writeContract(file: string, built: string): Promise<void> {
  const document = asRecord(JSON.parse(CONTRACT_AS_JSON));
  const paths = Object.entries(asRecord(document['paths']));
  const kept = paths.filter(([path]) => !/^\/mcp(\/|$)/.test(path));
  const changed = { ...document, paths: Object.fromEntries(kept) };
  const source = dump(changed);
  await writeFile(file, source);
  const constants = { CHECKED_CONTRACT: hash('sha256', source), CONTRACT_AS_JSON: JSON.stringify(changed) };
  const code = Object.entries(constants).reduce(
    (text, [name, value]) =>
      text.replace(
        new RegExp(`^export const ${name} =.*$`, 'm'),
        () => `export const ${name} = ${JSON.stringify(value)};`,
      ),
    await readFile(built, 'utf8'),
  );
  await writeFile(built, code);
}
