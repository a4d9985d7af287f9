import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FORMATS = ['yaml', 'json', 'dereferenced.json'];

/**
 * Makes the folder of the package `roster-contract` from the files of the contract that the build makes.
 * @param root the folder of the project
 * @returns the folder of the package
 * @throws if the build has not made them
 */
export function makeContractPackage(root: string, version: string): string {
  const folder = join(root, 'dist/roster-contract');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const format of FORMATS) {
    const built = `dist/contract/${version}.${format}`;
    if (!existsSync(join(root, built))) throw new Error(`there is no ${built}; npm run build`);
    copyFileSync(join(root, built), join(folder, `openapi.${format}`));
  }
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  writeFileSync(join(folder, 'README.md'), readme(version));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest(version), null, 2)}\n`);
  return folder;
}

function manifest(version: string) {
  const files = FORMATS.map((format) => `openapi.${format}`);
  return {
    name: 'roster-contract',
    version,
    description: 'The OpenAPI document of Roster, as YAML and as JSON.',
    license: 'MIT',
    type: 'module',
    exports: Object.fromEntries(files.map((file) => [`./${file}`, `./${file}`])),
    files,
  };
}

const readme = (version: string) => `# roster-contract

The contract of Roster ${version}: OpenAPI 3.1.

- \`openapi.yaml\`: the document, with its comments.
- \`openapi.json\`: the same as JSON.
- \`openapi.dereferenced.json\`: JSON without references, for tools that resolve none.

\`\`\`js
import contract from 'roster-contract/openapi.json' with { type: 'json' };
\`\`\`
`;
