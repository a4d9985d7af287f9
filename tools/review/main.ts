/**
 * `npm run spec:review -- <commit>`: reviews the effect of the current contract on clients of the version at
 * the commit.
 */
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { baseOf, fileAt, NoBase } from './base.js';
import { ContractFault, readContract } from './contract/read.js';
import { markdownOf } from './markdown.js';
import { reviewOf } from './review.js';

const FILE = 'openapi.yaml';
const UNANNOUNCED = 1;
const WRONG_USE = 2;

const command = new Command('spec:review')
  .description('say, as Markdown, what the change of openapi.yaml does to clients')
  .argument('[commit]', 'what to compare with; without it, where this branch left the main one')
  .addHelpText('after', '\nEnds with 1 if something breaks that the version does not announce.')
  .exitOverride()
  .action((reference: string | undefined) => {
    const base = baseOf(reference);
    const review = reviewOf({
      before: readContract(fileAt(base, FILE), `${FILE} at ${base.name}`),
      after: readContract(contractHere(), FILE),
    });
    process.stdout.write(markdownOf(review, base.name));
    if (!review.announced.breaksAnnounced) process.exitCode = UNANNOUNCED;
  });

function contractHere(): string {
  try {
    return readFileSync(FILE, 'utf8');
  } catch (cause) {
    throw new ContractFault(`there is no ${FILE} in this folder`, { cause });
  }
}

try {
  command.parse();
} catch (error) {
  if (error instanceof NoBase || error instanceof ContractFault) {
    process.stderr.write(`error: ${error.message}\n`);
    process.exitCode = WRONG_USE;
  } else if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : WRONG_USE;
  } else {
    throw error;
  }
}
