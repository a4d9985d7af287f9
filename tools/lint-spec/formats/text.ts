import type { Finding } from '../finding.js';

/** Formats findings as lines that editors and terminals lead to the place from, and their count. */
export function list(findings: readonly Finding[], files: readonly string[]): string {
  const lines = findings.flatMap(({ file, line, column, severity, message, remedy, rules }) => [
    `${file}:${line}:${column}: ${severity}: ${oneLine(message)} [${rules.join(', ')}]`,
    ...(remedy ? [`    ${oneLine(remedy)}`] : []),
  ]);
  return `${[...lines, summary(findings, files)].join('\n')}\n`;
}

/** Says how many findings there are, and in which files. */
export function summary(findings: readonly Finding[], files: readonly string[]): string {
  const counts = (['error', 'warning', 'notice'] as const).flatMap((severity) => {
    const { length } = findings.filter((finding) => finding.severity === severity);
    return length === 0 ? [] : [`${length} ${severity}${length === 1 ? '' : 's'}`];
  });
  return `${counts.join(', ') || 'Nothing found'} in ${new Intl.ListFormat('en').format(files)}.`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
