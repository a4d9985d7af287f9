import type { JsonRecord } from '../../../server/contract/json-record.js';
import type { Contract } from '../contract/contract.js';
import type { Finding } from '../finding.js';
import type { Party, Rule } from '../rules.js';
import { compareSchemas } from '../schema/compare.js';
import { type Pair, placeOf, type Told } from '../schema/comparison.js';

/** A part of an operation, whose findings all have its name and its path. */
export class Scope {
  constructor(
    readonly contracts: Pair<Contract>,
    readonly operation: string,
    readonly party: Party,
    private readonly path = '',
  ) {}

  /** A part of this one. */
  within(step: string, party = this.party): Scope {
    const path = [this.path, step].filter(Boolean).join(' ');
    return new Scope(this.contracts, this.operation, party, path);
  }

  /** A finding here, at the place of the part that says it; `keyword` leads on from there. */
  finding(rule: Rule, told: Told, keyword = ''): Finding {
    const { was = '', is = '', path = '' } = told;
    const { operation, party } = this;
    const pointer = placeOf(this, told, keyword);
    return { rule, was, is, pointer, operation, party, path: `${this.path}${path}` };
  }

  /** Compares schemas that are here; a part without one allows any value. */
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
