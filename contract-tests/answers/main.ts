/**
 * Records the answers of a built service to thousands of requests, and compares two recordings: a refactoring
 * changes none.
 */
import { closeSync, openSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { namesAmong, wholeNumberFrom } from '../../testkit/command-line.js';
import { compareRecordings, reportDifferences } from './compare.js';
import { MAIN, recordAnswers, SERVICES } from './services.js';

interface RecordOptions {
  readonly service: string;
  readonly seed: number;
  readonly seeds: number;
  readonly only: readonly string[];
}

const program = new Command('answers').description(
  'Record the answers of a service, and compare recordings.',
);

program
  .command('record')
  .argument('<file>', 'the file of the recording')
  .option('--service <main>', 'dist/server/main.js of another checkout', MAIN)
  .option('--seed <n>', 'the first seed of generated requests', wholeNumberFrom(0), 1)
  .option('--seeds <n>', 'the number of seeds, with some 500 requests each', wholeNumberFrom(0), 4)
  .option(
    '--only <names>',
    `some of the services: ${SERVICES.join(', ')}`,
    namesAmong(SERVICES.map((name) => ({ name }))),
    SERVICES,
  )
  .action(async (file: string, { service, seed, seeds, only }: RecordOptions) => {
    const output = openSync(file, 'w');
    const begun = performance.now();
    let requests = 0;
    const all = Array.from({ length: seeds }, (_, at) => seed + at);
    await recordAnswers(resolve(service), all, only, (entry) => {
      requests += 1;
      writeSync(output, `${JSON.stringify(entry)}\n`);
    });
    closeSync(output);
    const seconds = (performance.now() - begun) / 1000;
    process.stdout.write(`${requests} answers in ${seconds.toFixed(0)} s\n`);
  });

program
  .command('compare')
  .argument('<before>', 'a recording')
  .argument('<after>', 'another recording, with the same seeds')
  .option('--show <n>', 'the differences of each operation to show', wholeNumberFrom(0), 3)
  .action(async (before: string, after: string, { show }: { show: number }) => {
    const differences = await compareRecordings(before, after);
    process.stdout.write(`${reportDifferences(differences, show)}\n${differences.length} differ\n`);
    if (differences.length > 0) process.exitCode = 1;
  });

await program.parseAsync();
