import { statSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Command } from 'commander';
import { cutText } from 'roster-prediction/text';
import { splitPointer, valueAt } from '../../contract/pointer.js';
import type { components } from '../../generated/openapi.js';
import { type ProjectOptions, RemoteProject, readNamedFile, ServiceProblem, withProject } from './project-client.js';
import { FileError, MAX_FILE_BYTES, type ProjectFile, readProjectFile } from './project-file.js';

type Schemas = components['schemas'];

interface ApplyOptions extends ProjectOptions {
  readonly prune?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

export const applyCommand = withProject(
  new Command('apply').description('make a project as a file says, all of it or nothing'),
)
  .argument('<file>', 'YAML or JSON, as "roster export" writes it')
  .option('--prune', 'delete what the file does not name')
  .option('--dry-run', 'only show what would change')
  .option('--yes', 'do not ask before anything is changed')
  .action(applyFile);

async function applyFile(path: string, options: ApplyOptions): Promise<void> {
  const { prune = false, dryRun = false, yes = false } = options;
  const file = readProjectFile(readText(path), path);
  const project = new RemoteProject(options);
  try {
    const { changes: planned, tag } = await project.apply(file.value, { dryRun: true, prune });
    const { changes } = planned;
    const isUpdate = changes.some(({ fields }) => fields.length > 0);
    const before = isUpdate ? await project.read() : [];
    process.stdout.write(showChanges(planned, before, file.value));
    if (dryRun || changes.length === 0) return;
    if (!yes && !(await confirm())) {
      throw new Error('nothing was changed; say yes, or send --yes');
    }
    const done = await project.apply(file.value, { dryRun: false, prune, tag });
    process.stdout.write(`Done. ${summarize(done.changes)}\n`);
  } catch (error) {
    throw error instanceof ServiceProblem ? locateFaults(error, file) : error;
  }
}

function readText(path: string): string {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > MAX_FILE_BYTES) {
    throw new FileError(`${path}: the file has ${size} bytes, and may have ${MAX_FILE_BYTES}`);
  }
  return readNamedFile(path);
}

/** Asks whether to go on; where nobody can be asked, the answer is no. */
async function confirm(): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(es)?$/i.test((await terminal.question('Change the project so? [y/N] ')).trim());
  } finally {
    terminal.close();
  }
}

const SIGNS = { create: '+', update: '~', train: '~', delete: '-' } as const;

/**
 * Shows changes, each on a line, and below it the fields that differ.
 * @param before the manifest of the project
 * @param after the manifest of the file
 */
function showChanges(planned: Schemas['ManifestChanges'], before: Schemas['Manifest'], after: unknown): string {
  const [stored, wanted] = [indexEntries(before), indexEntries(after)];
  const lines = planned.changes.flatMap((change) => {
    const { action, kind, name, skill, fields } = change;
    const of = skill === null ? '' : ` of the skill ${skill}`;
    const trains = kind === 'model' && (action === 'train' || action === 'create');
    const key = writeKey(change);
    return [
      `${SIGNS[action]} ${kind} ${name}${of}${trains ? ': a version is trained' : ''}`,
      ...fields.map((field) => {
        const [old, now] = [stored, wanted].map((entries) => excerpt(entries.get(key), field));
        return `    ${printable(field.slice(1))}: ${old} → ${now}`;
      }),
    ];
  });
  return [...lines, summarize(planned), ''].join('\n');
}

function summarize({ changes, unchanged, dry_run }: Schemas['ManifestChanges']): string {
  const counts = (['create', 'change', 'delete'] as const).map((verb) => {
    const actions: readonly string[] = verb === 'change' ? ['update', 'train'] : [verb];
    const count = changes.filter(({ action }) => actions.includes(action)).length;
    return dry_run ? `${count} to ${verb}` : `${count} ${verb}d`;
  });
  return `${counts.join(', ')}; ${unchanged} stay as they are.`;
}

interface Named {
  readonly kind: string;
  readonly name: string;
  /** Of a document. */
  readonly skill: string | null;
}

function writeKey({ kind, name, skill }: Named): string {
  return `${kind} ${skill ?? ''} ${name}`;
}

/** Returns the resources of a manifest by their keys; the service has found nothing wrong with it. */
function indexEntries(manifest: unknown): ReadonlyMap<string, unknown> {
  const entries = Array.isArray(manifest) ? manifest : [];
  return new Map(
    entries.flatMap((entry: Schemas['ManifestEntry']) => {
      const { skill, document, agent, chatbot, model } = entry;
      const named = { skill, document, agent, chatbot, model };
      return Object.entries(named).flatMap(([kind, fields]) => {
        if (!fields) return [];
        const of = 'skill' in fields ? fields.skill : null;
        return [[writeKey({ kind, name: fields.name, skill: of }), fields] as const];
      });
    }),
  );
}

/** The most characters of a value that are shown. */
const MAX_SHOWN = 60;

function excerpt(resource: unknown, pointer: string): string {
  const value = valueAt(resource, pointer);
  if (value === undefined) return 'none';
  const text = printable(JSON.stringify(value));
  return cutText(text, MAX_SHOWN);
}

/** Escapes what would steer a terminal. */
function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Returns the fault of a problem with each place in the file, in place of a pointer into the body. */
function locateFaults({ message, errors }: ServiceProblem, file: ProjectFile): Error {
  const locateEntries = (text: string) =>
    printable(text).replaceAll(/\/body(\/\d+)(\/(skill|document|agent|chatbot|model))?(?![\w/])/g, (_, entry) =>
      file.locate(splitPointer(entry)),
    );
  const faults = errors.map((fault) => {
    const { pointer, message } = fault;
    if (!pointer?.startsWith('/body')) return [pointer, locateEntries(message)].join(' ').trim();
    const tokens = splitPointer(pointer).slice(1);
    const field = printable(tokens.slice(1).join('/'));
    return `${file.locate(tokens)}: ${field}${field && ' '}${locateEntries(message)}`;
  });
  const isPlaced = errors.some(({ pointer }) => pointer?.startsWith('/body'));
  return new FileError([...(isPlaced ? [] : [locateEntries(message)]), ...faults].join('\n'));
}
