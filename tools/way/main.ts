/** `npm run way -- createSkill`: which files and functions of the service a request runs. */
import { dirname } from 'node:path/posix';
import { scriptCommand } from '../../testkit/command-line.js';
import { type RanFile, traceOperations, type Way } from './trace-operations.js';

await scriptCommand('way', "Show the way of an operation's example request through the service.")
  .argument('<operationId...>', 'operations of openapi.yaml, such as createSkill')
  .option('--json', 'print JSON')
  .action(show)
  .parseAsync();

async function show(operationIds: string[], { json }: { readonly json?: true }): Promise<void> {
  try {
    const ways = await traceOperations(operationIds);
    const text = json ? JSON.stringify(ways, null, 2) : ways.map(describeWay).join('\n\n');
    process.stdout.write(`${text}\n`);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 1;
  }
}

function describeWay({ operationId, request, status, files }: Way): string {
  const count = files.reduce((sum, { functions }) => sum + functions.length, 0);
  const lines = files.flatMap((one, at) => {
    const folder = dirname(one.file);
    const isFirst = at === 0 || dirname(files[at - 1]?.file ?? '') !== folder;
    return [...(isFirst ? ['', folder] : []), `  ${describeFile(one)}`];
  });
  return `${operationId}: ${request}, answered with ${status}
${files.length} files, ${count} functions on the main thread; each with its line\n${lines.join('\n')}`;
}

function describeFile({ file, functions }: RanFile): string {
  const all = functions.map(({ name, line }) => `${name}:${line}`).join(' ');
  return `${file.slice(dirname(file).length + 1)}  ${all}`;
}
