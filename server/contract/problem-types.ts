import type { Document } from './document-schema.js';
import { asRecord, type JsonRecord } from './json-record.js';

/** A kind of problem, as its schema describes it. */
export interface ProblemKind {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  /** Two paragraphs: the cause, and how to fix it. */
  readonly description: string;
}

/** Returns the problems that have schemas in the contract, by type. */
export function problemsOf(document: Document): Map<string, ProblemKind> {
  const problems = new Map<string, ProblemKind>();
  for (const schema of Object.values(document.components.schemas).filter(isProblem)) {
    const { type, title, status } = asRecord(schema['properties']);
    const kind = {
      type: String(asRecord(type)['const']),
      title: String(asRecord(title)['const']),
      status: Number(asRecord(status)['const']),
      description: schema.description,
    };
    problems.set(kind.type, kind);
  }
  return problems;
}

/** Returns whether a schema is that of a problem: it fixes the type. */
export function isProblem(schema: JsonRecord): boolean {
  const type = asRecord(asRecord(schema['properties'])['type'])['const'];
  return typeof type === 'string' && type.startsWith('/problems/');
}
