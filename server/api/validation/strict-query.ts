import type { Request } from 'express';
import type { Operation } from '../../contract/document.js';
import { escapeToken } from '../../contract/json-pointer.js';
import { type FieldError, invalidRequest } from '../../problems/problem.js';

/** A number as in JSON (RFC 8259, section 6). */
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/**
 * Refuses queries that the validator would misread. It takes `limit[]` and `limit[a]` for `limit`,
 * and accepts for a number anything that JavaScript converts to one, such as `0x10`, ` 5` or
 * infinity.
 */
export function refuseMisreadQuery({ numericQuery }: Operation, req: Request): void {
  if (!req.url.includes('?')) return;
  const errors: FieldError[] = [];
  for (const [name, sent] of Object.entries(req.query)) {
    const pointer = `/query/${escapeToken(name)}`;
    const type = numericQuery.get(name);
    if (name.includes('[')) {
      errors.push({ pointer, message: 'is not a parameter of this operation; leave it out' });
    } else if (type !== undefined && typeof sent === 'string' && !isNumber(sent)) {
      errors.push({ pointer, message: sent === '' ? 'must not be empty' : WORDS[type] });
    }
  }
  if (errors.length > 0) throw invalidRequest(errors);
}

const WORDS = { integer: 'must be a whole number', number: 'must be a number' };

function isNumber(text: string): boolean {
  return NUMBER.test(text) && Number.isFinite(Number(text));
}
