import type { JsonRecord } from '../../../server/contract/json-record.js';
import type { Contract } from '../contract/contract.js';
import type { Finding } from '../finding.js';
import type { Party, Rule } from '../rules.js';
import { compareSchemas } from '../schema/compare.js';
import { type Details, type Pair, placeOf } from '../schema/comparison.js';

/** A part of an operation. Its findings have the operation's name and the part's path. */
export class Scope {
  constructor(
    readonly contracts: Pair<Contract>,
    readonly operation: string,
    readonly party: Party,
    private readonly path = '',
  ) {}

  /** Returns the scope of a part of this one. */
  within(step: string, party = this.party): Scope {
    const path = [this.path, step].filter(Boolean).join(' ');
    return new Scope(this.contracts, this.operation, party, path);
  }

  /** Returns a finding in this scope, at the place of the differing part; `keyword` extends the pointer. */
  finding(rule: Rule, details: Details, keyword = ''): Finding {
    const { was = '', is = '', path = '' } = details;
    const { operation, party } = this;
    const pointer = placeOf(this, details, keyword);
    return { rule, was, is, pointer, operation, party, path: `${this.path}${path}` };
  }

  /** Compares the schemas of two parts; a part without a schema allows any value. */
  schemas(before: JsonRecord, after: JsonRecord): Finding[] {
    const { operation, party } = this;
    const pair = { before: before['schema'] ?? true, after: after['schema'] ?? true };
    return compareSchemas(this.contracts, party, pair).map((one) => ({
      ...one,
      operation,
      party,
      path: `${this.path}${one.path}`,
    }));
  }
}
