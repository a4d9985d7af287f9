import { readFile } from 'node:fs/promises';
import { readYaml, YamlError } from '../generator/check/yaml.js';
import type { Finding, Place, Remark } from './finding.js';
import { merge } from './merge.js';
import { remedyFor } from './remedies.js';
import { type Reviewer, ReviewerError, type Source } from './reviewers.js';

/**
 * Reviews a file with all reviewers at once.
 * @param reviewers the clearest first: its words are taken where several find the same fault
 * @returns the faults in the order of the file; only one if the file cannot be read
 */
export async function reviewFile(file: string, reviewers: readonly Reviewer[]): Promise<Finding[]> {
  const source = await read(file);
  if ('severity' in source) return [source];
  const reviews = await Promise.all(reviewers.map((reviewer) => remarksOf(reviewer, source)));
  return merge(reviews)
    .map(({ rule, others, severity, message, remedy, pointer }) => ({
      ...{ file, ...source.locate(pointer), severity, message },
      remedy: remedy ?? remedyFor(rule),
      rules: [rule, ...others],
    }))
    .sort(inOrder);
}

async function read(file: string): Promise<Source | Finding> {
  const unreadable = (
    place: Omit<Place, 'file'>,
    rule: string,
    words: [string, string],
  ): Finding => {
    const [message, remedy] = words;
    return { file, ...place, severity: 'error', rules: [rule], message, remedy };
  };
  try {
    const text = await readFile(file, 'utf8');
    return { file, text, ...readYaml(text) };
  } catch (error) {
    if (error instanceof YamlError) {
      const { message, ...place } = error.fault;
      return unreadable(place, 'file/yaml', [message, 'Correct the line, or the one before it.']);
    }
    const { code } = error instanceof Error && 'code' in error ? error : { code: undefined };
    if (typeof code !== 'string') throw error;
    const message =
      code === 'ENOENT' ? 'There is no such file' : `The file cannot be read: ${code}`;
    const remedy = 'Name a file with OpenAPI, such as openapi.yaml.';
    return unreadable({ line: 1, column: 1 }, 'file/readable', [message, remedy]);
  }
}

async function remarksOf(reviewer: Reviewer, source: Source): Promise<Remark[]> {
  try {
    return await reviewer(source);
  } catch (error) {
    if (!(error instanceof ReviewerError)) throw error;
    const remedy = 'Run it again; the findings of the others hold.';
    return [
      { rule: 'file/reviewer', severity: 'error', message: error.message, remedy, pointer: '' },
    ];
  }
}

function inOrder(one: Finding, other: Finding): number {
  return one.line - other.line || one.column - other.column;
}
