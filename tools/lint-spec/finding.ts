/** The kinds of finding, as GitHub's annotations name them. */
export type Severity = 'error' | 'warning' | 'notice';

/** A finding of one reviewer. */
export interface Remark {
  /** The reviewer and its rule: `spectral/operation-tags`. */
  readonly rule: string;
  readonly severity: Severity;
  readonly message: string;
  /** The remedy; from the table of remedies if the reviewer does not say it. */
  readonly remedy?: string | undefined;
  /** A JSON pointer to the part that is at fault. */
  readonly pointer: string;
}

/** A place in a file, counted from 1 as editors do. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A fault of a file, with every rule that found it. */
export interface Finding extends Place {
  readonly severity: Severity;
  readonly rules: readonly string[];
  readonly message: string;
  readonly remedy: string;
}

/** Formats findings as lines that editors and terminals lead to the place from, and their count. */
function list(findings: readonly Finding[], files: readonly string[]): string {
  const lines = findings.flatMap(({ file, line, column, severity, message, remedy, rules }) => [
    `${file}:${line}:${column}: ${severity}: ${oneLine(message)} [${rules.join(', ')}]`,
    ...(remedy ? [`    ${oneLine(remedy)}`] : []),
  ]);
  return `${[...lines, summary(findings, files)].join('\n')}\n`;
}

/** Says how many findings there are, and in which files. */
function summary(findings: readonly Finding[], files: readonly string[]): string {
  const counts = (['error', 'warning', 'notice'] as const).flatMap((severity) => {
    const { length } = findings.filter((finding) => finding.severity === severity);
    return length === 0 ? [] : [`${length} ${severity}${length === 1 ? '' : 's'}`];
  });
  return `${counts.join(', ') || 'Nothing found'} in ${new Intl.ListFormat('en').format(files)}.`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Formats findings as workflow commands, which GitHub shows beside the lines of a pull request. */
function annotations(findings: readonly Finding[], files: readonly string[]): string {
  const lines = findings.map(({ file, line, column, severity, message, remedy, rules }) => {
    const place = [`file=${property(file)}`, `line=${line}`, `col=${column}`];
    const title = `title=${property(rules.join(', '))}`;
    const text = remedy ? `${message}\n${remedy}` : message;
    return `::${severity} ${[...place, title].join(',')}::${data(text)}`;
  });
  return `${[...lines, summary(findings, files)].join('\n')}\n`;
}

function data(text: string): string {
  return text.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
}

function property(text: string): string {
  return data(text).replace(/:/g, '%3A').replace(/,/g, '%2C');
}

/** The ways to print findings, by the name of the option `--format`. */
export const FORMATS = {
  text: list,
  github: annotations,
  json: (findings) => `${JSON.stringify(findings, null, 2)}\n`,
} satisfies Record<string, (findings: readonly Finding[], files: readonly string[]) => string>;
