import type { Finding } from '../finding.js';
import { annotations } from './github.js';
import { list } from './text.js';

/** The ways to print findings, by the name of the option `--format`. */
export const FORMATS = {
  text: list,
  github: annotations,
  json: (findings) => `${JSON.stringify(findings, null, 2)}\n`,
} satisfies Record<string, (findings: readonly Finding[], files: readonly string[]) => string>;
