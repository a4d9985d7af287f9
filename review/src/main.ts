#!/usr/bin/env node
/**
 * `npm run spec:review -- <commit>`: reviews the effect of the current contract on clients of the version at
 * the commit. With `--changelog`, writes the changelog of the released contracts.
 */
import { posix } from 'node:path';
import { Option } from 'commander';
import { VersionError } from '../../contract/versions.js';
import { scriptCommand } from '../../testkit/command-line.js';
import { type Acceptance, readAcceptances } from './acceptance.js';
import { describe, describeHere, fileAt, fileHere, filesAt, findBase, isChangedHere, NoBase } from './base.js';
import { writeChangelog } from './changelog.js';
import { ContractFault, readContract } from './contract.js';
import { MARKDOWN, writeComment } from './markdown.js';
import { type Format, withoutReview, writeReport } from './report.js';
import { reviewContracts } from './review.js';
import { TEXT } from './text.js';

const UNANNOUNCED = 1;
const WRONG_USE = 2;
const NO_CONTRACT = 3;

interface Form {
  readonly format: Format;
  readonly join: (lines: readonly string[]) => string;
}

const FORMS = {
  text: { format: TEXT, join: (lines) => `${lines.join('\n')}\n` },
  markdown: { format: MARKDOWN, join: writeComment },
} satisfies Readonly<Record<string, Form>>;

interface Options {
  readonly contract: string;
  readonly accepted: string;
  readonly changelog?: true;
  readonly check?: true;
  readonly format: keyof typeof FORMS;
}

const description = 'Say what the change of a contract does to clients.';

const command = scriptCommand('spec:review', description)
  .argument('[commit]', 'what to compare with; without it, where this branch left the main one')
  .option('--contract <file>', 'the contract, relative to this folder', 'openapi.yaml')
  .addOption(
    new Option('--format <format>', 'text by default on a terminal, and Markdown elsewhere')
      .choices(Object.keys(FORMS))
      .default(process.stdout.isTTY ? 'text' : 'markdown'),
  )
  .option('--accepted <file>', 'the breaking changes that are accepted, with reasons', '.spec-review.yaml')
  .option('--changelog', 'write docs/contract/CHANGELOG.md from the released contracts')
  .option('--check', 'with --changelog: write nothing, and end with 1 if it is not up to date')
  .addHelpText(
    'after',
    '\nEnds with 1 if something breaks that the version does not announce, with 2 if it is used wrongly, and with 3 if the contract is deleted or cannot be read.',
  )
  .action((reference: string | undefined, { contract, accepted, changelog, check, format }: Options) => {
    if (changelog) process.exitCode = changelogCode(check === true);
    else process.exitCode = review({ contract, accepted, reference }, FORMS[format]);
  });

/** The contract to review, the file of accepted changes, and the commit to compare with. */
interface Task extends Pick<Options, 'contract' | 'accepted'> {
  readonly reference: string | undefined;
}

/** Prints the review of a contract, and returns the exit code. */
function review({ contract: file, accepted, reference }: Task, { format, join }: Form): number {
  const print = (lines: readonly string[]) => process.stdout.write(join(lines));
  const here = fileHere(file);
  const isChanged = isChangedHere(file, here);
  const base = findBase(reference, isChanged);
  const texts = { before: fileAt(base, file), after: here };
  const sides = { before: describe(base), after: describeHere(isChanged) };
  if (texts.after === undefined) {
    const where = `there is no ${file} in this folder`;
    if (texts.before === undefined) throw new NoBase(`${where}, and none at ${base.name}`);
    print(withoutReview('The contract is deleted: every client breaks.', where, format));
    return failed(where);
  }
  if (texts.before === undefined) {
    const reason = `there is no ${file} at ${sides.before}`;
    print(withoutReview('The contract is new: nothing to compare with.', reason, format));
    return 0;
  }
  try {
    const versions = {
      before: readContract(texts.before, `${file} at ${base.name}`, {
        read: (paths) => filesAt(base, besides(file, paths)),
      }),
      after: readContract(texts.after, file, { read: (paths) => besides(file, paths).map(fileHere) }),
    };
    const found = reviewContracts(versions, acceptancesIn(accepted));
    print(writeReport(found, sides, format));
    return found.announced.breaksAnnounced ? 0 : UNANNOUNCED;
  } catch (error) {
    if (!(error instanceof ContractFault)) throw error;
    print(withoutReview('The contract cannot be read.', error.message, format));
    return failed(error.message);
  }
}

function failed(reason: string): number {
  process.stderr.write(`error: ${reason}\n`);
  return NO_CONTRACT;
}

/** Returns the paths of files that a contract refers to. */
function besides(contract: string, paths: readonly string[]): string[] {
  return paths.map((path) => posix.join(posix.dirname(contract), path));
}

function acceptancesIn(file: string): readonly Acceptance[] {
  const text = fileHere(file);
  return text === undefined ? [] : readAcceptances(text, file);
}

function changelogCode(check: boolean): number {
  const { message, upToDate } = writeChangelog(check);
  process.stderr.write(`${message}\n`);
  return upToDate ? 0 : 1;
}

try {
  command.parse();
} catch (error) {
  const isFault = error instanceof ContractFault || error instanceof VersionError;
  if (!isFault && !(error instanceof NoBase)) throw error;
  process.stderr.write(`error: ${error.message}\n`);
  process.exitCode = isFault ? NO_CONTRACT : WRONG_USE;
}
