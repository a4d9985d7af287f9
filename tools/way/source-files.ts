import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { dirname } from 'node:path/posix';
import { fileURLToPath } from 'node:url';
import { root } from '../../testkit/root.js';
import type { CoveredFile } from './coverage.js';

/** A source file, and its functions that ran, in their order in it. */
export interface RanFile {
  /** Relative to the root of the project, such as `server/app.ts`. */
  readonly file: string;
  readonly functions: readonly {
    /** Empty for a function without a name. */
    readonly name: string;
    readonly line: number;
  }[];
}

/** The folders in the order of CONTRIBUTING.md, which is that of a request; what is not named here comes first. */
const FOLDERS = [
  'server/edge',
  'server/api',
  'server/problems',
  'server/contract',
  'server/auth',
  'server/projects',
  'server/resources',
  'server/models',
  'server/agents',
  'server/databases',
  'prediction',
  'server/store',
  'server/work',
  'server/telemetry',
  'server/common',
];

/** Returns the sources of compiled files, in the order of the pipeline. */
export function sourceFiles(covered: readonly CoveredFile[]): RanFile[] {
  return covered
    .map(sourceFile)
    .sort(
      (a, b) =>
        stepOf(a) - stepOf(b) ||
        dirname(a.file).localeCompare(dirname(b.file)) ||
        a.file.localeCompare(b.file),
    );
}

function stepOf({ file }: RanFile): number {
  return FOLDERS.findIndex((folder) => file.startsWith(`${folder}/`));
}

function sourceFile({ file, functions }: CoveredFile): RanFile {
  const compiled = new URL(`dist/${file}`, root);
  const code = readFileSync(compiled, 'utf8');
  const payload: SourceMapPayload = JSON.parse(
    readFileSync(`${fileURLToPath(compiled)}.map`, 'utf8'),
  );
  const map = new SourceMap(payload);
  const lineAt = (offset: number) => {
    const before = code.slice(0, offset).split('\n');
    const entry = map.findEntry(before.length - 1, before.at(-1)?.length ?? 0);
    return 'originalLine' in entry ? entry.originalLine + 1 : 0;
  };
  return {
    file: file.replace(/\.js$/, '.ts'),
    functions: functions.map(({ name, offset }) => ({ name, line: lineAt(offset) })),
  };
}
