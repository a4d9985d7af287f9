import type { Yaml } from '../../generator/check/yaml.js';
import type { Remark } from '../finding.js';

/** A file that is YAML. */
export interface Source extends Yaml {
  readonly file: string;
  readonly text: string;
}

/** Reviews a file, and returns what it finds. */
export type Reviewer = (source: Source) => Remark[] | Promise<Remark[]>;

/** A reviewer could not do its work; the message gives the reason. */
export class ReviewerError extends Error {}
