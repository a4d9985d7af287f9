import type { Command } from 'commander';
import { scriptCommand } from '../../testkit/command-line.js';
import { table as markdown } from '../../testkit/markdown-table.js';
import { publish, verdict } from '../scenarios.js';
import { spoilCopies } from './spoil.js';
import { type Finding, inspect, readCleanTables, readDatasets, readJudged } from './tables.js';

/** The most tables with a false alarm, as a share; the fewest of the spoiled copies that are found. */
const MAX_FALSE = 0.1;
const MIN_FOUND = 27;

/** R writes a column of row numbers into each of these tables. */
const ROW_NAMES = 'rownames';

/** `npm run bench:findings`: what is said of clean public tables, and of spoiled copies of them. */
await scriptCommand(
  'bench:findings',
  'List what findings say of public tables, and count what they find in spoiled copies.',
)
  .option('--clones <folder>', 'clones of public repositories, as OWNER+NAME or OWNER/NAME')
  .option('--short', 'list what is said of tables in datasets/, and keep nothing')
  .action(({ clones, short }: { clones?: string; short?: true }, command: Command) => {
    if (short) return listDatasets();
    if (clones === undefined) command.error('error: npm run bench:findings needs --clones <folder>, or --short');
    return run(clones);
  })
  .parseAsync();

/** Lists what is said of the tables of `datasets/`, which are clean but for duplicates. */
async function listDatasets(): Promise<void> {
  const rows = [];
  for (const { name, target, lines } of readDatasets()) {
    for (const { kind, message } of await inspect(lines, target)) rows.push([name, target, kind, message]);
  }
  await publish(`${markdown(['table', 'target', 'finding', 'message'], rows)}\n`);
}

async function run(clones: string): Promise<void> {
  const { repository, tables } = readCleanTables(clones);
  const judged = readJudged();
  const rows: string[][] = [];
  const [wrong, unjudged] = [new Set<string>(), new Set<string>()];
  let numbered = 0;
  let silent = 0;
  for (const { name, target, lines } of tables) {
    const findings = (await inspect(lines, target)).filter(({ kind, column }) => {
      const isNumber = kind === 'identifier_column' && column === ROW_NAMES;
      numbered += Number(isNumber);
      return !isNumber;
    });
    if (findings.length === 0) silent++;
    for (const finding of findings) {
      const known = judged.find((each) => isOf(each, name, finding));
      if (known === undefined) unjudged.add(`${name} ${finding.kind} ${finding.column ?? ''}`);
      if (known?.verdict === 'wrong') wrong.add(name);
      const said = known ? `${known.verdict}: ${known.because}` : '**not judged**';
      rows.push([name, target, finding.kind, finding.message, said]);
    }
  }
  const copies = [];
  for (const copy of spoilCopies(tables)) {
    const findings = await inspect(copy.lines, copy.target);
    const found = findings.find(copy.isFound);
    copies.push({ ...copy, found });
  }
  const found = copies.filter((copy) => copy.found).length;
  const summary = [
    [
      'false alarms in at most one of ten tables',
      `${wrong.size} of ${tables.length} tables: ${[...wrong].join(', ') || 'none'}`,
      verdict(wrong.size <= MAX_FALSE * tables.length),
    ],
    ['every finding is judged by eye', `${unjudged.size} are not`, verdict(unjudged.size === 0)],
    [`${MIN_FOUND} of ${copies.length} spoiled copies are found`, `${found}`, verdict(found >= MIN_FOUND)],
  ];
  const text = [
    `The tables are those of \`bench/findings/clean-tables.json\`, from https://github.com/${repository}. Of ${tables.length}, ${silent} have no finding but that \`rownames\` numbers the rows, which is said of ${numbered}.`,
    markdown(['asked for', 'measured', ''], summary),
    '## What was said of public tables',
    markdown(['table', 'target', 'finding', 'message', 'by eye'], rows),
    '## Spoiled copies',
    markdown(
      ['spoiled by', 'table', 'found as', 'message'],
      copies.map(({ way, table, found }) => [way, table, found?.kind ?? '**not found**', found?.message ?? '']),
    ),
  ].join('\n\n');
  await publish(`${text}\n`, { file: 'findings', name: 'bench:findings' });
}

function isOf(judged: ReturnType<typeof readJudged>[number], table: string, { kind, column }: Finding): boolean {
  return judged.table === table && judged.kind === kind && (judged.column ?? null) === column;
}
