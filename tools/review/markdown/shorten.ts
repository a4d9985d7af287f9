/** The maximum size, less than the 65,536 characters of a comment on a pull request. */
const MAX_CHARACTERS = 60_000;

/** Joins lines to a comment, and cuts off the end, which has the least important ones. */
export function shortened(lines: readonly string[]): string {
  let length = 0;
  const kept = lines.filter((line) => {
    length += line.length + 1;
    return length <= MAX_CHARACTERS;
  });
  const cut = lines.length - kept.length;
  const opened = kept.filter((line) => line.startsWith('<details>')).length;
  const closed = kept.filter((line) => line === '</details>').length;
  if (cut > 0) {
    if (opened > closed) kept.push('', '</details>');
    kept.push('', `There is more: \`npm run spec:review\` says all of it, ${cut} further lines.`);
  }
  return `${kept.join('\n')}\n`;
}
