import type { Finding } from '../finding.js';
import { summary } from './text.js';

/** Formats findings as workflow commands, which GitHub shows beside the lines of a pull request. */
export function annotations(findings: readonly Finding[], files: readonly string[]): string {
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
