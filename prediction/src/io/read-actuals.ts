import { listIdColumns } from '../promises/ids.js';
import type { PromisedIds } from '../promises/match-ids.js';
import { layOutAnswer } from '../rows/answer-layout.js';
import { objectBlocks, type RowColumns } from '../rows/blocks.js';
import { RowBinner, type RowBlock } from '../rows/row-binner.js';
import { type SchemaCheck, SchemaChecks } from '../rows/row-check.js';
import type { ColumnSummary } from '../table/column-profile.js';
import { finish } from '../trees/steps.js';
import { DeclinedError, type ReadOptions } from './answer-part.js';
import { openReader } from './answer-rows.js';
import { ByteBudget } from './columns/byte-budget.js';
import { JsonShapeError } from './columns/format-error.js';
import { GatheredTruths, type TruthChunk, type TruthColumns } from './gathered-truths.js';

/** Rows that are read together. */
const MAX_ROWS = 256;

/**
 * Reads a body of truths in any format as a whole, and yields them in chunks.
 *
 * @param promised the ids that the model has promised something for, as for `matchIds`; read if truths have such ids
 * @throws {FormatError} at a fault of the body that ends its reading, or if it has too many rows
 * @throws {InvalidRowsError} if no row has a value in the column of ids, or none has the column of the target
 * @throws {JsonShapeError} if it is JSON, and not an array
 * @throws {SyntaxError} if it is JSON that cannot be parsed
 * @throws the error of the body, or of `promised`
 */
export async function* readActuals(
  body: AsyncIterable<Uint8Array>,
  columns: TruthColumns,
  options: ReadOptions,
  promised: AsyncIterable<PromisedIds>,
): AsyncGenerator<TruthChunk> {
  const gathered = new GatheredTruths(columns);
  const blocks = describeColumns(columns);
  const check = blocks.check();
  for await (const item of readBlocks(body, blocks, check, options)) gathered.add(item);
  gathered.refuseAbsent(check);
  yield* gathered.chunks(promised);
}

async function* readBlocks(
  body: AsyncIterable<Uint8Array>,
  blocks: RowColumns,
  check: SchemaCheck,
  options: ReadOptions,
): AsyncGenerator<RowBlock | 'unreadable'> {
  const budget = new ByteBudget();
  const pieces: Uint8Array[] = [];
  async function* kept() {
    for await (const piece of body) {
      // JSON may have to be read again.
      if (options.from === 'json') pieces.push(piece);
      yield piece;
    }
  }
  try {
    const reader = await openReader(blocks, options, check, budget);
    for await (const read of reader.read(kept())) {
      for (const item of read) yield 'kind' in item ? 'unreadable' : item;
    }
  } catch (error) {
    if (!(error instanceof DeclinedError)) throw error;
    const parsed: unknown = JSON.parse(Buffer.concat(pieces).toString());
    if (!Array.isArray(parsed)) throw new JsonShapeError('must be an array of rows');
    check.add(parsed);
    yield* objectBlocks(parsed, blocks);
  }
}

/** Returns the columns of truths as a reader of rows knows those of a model, which has no features of them. */
function describeColumns({ target, reading, ids }: TruthColumns): RowColumns {
  const columns = (ids ? listIdColumns(ids) : []).map((name): ColumnSummary => {
    return {
      name,
      kind: 'category',
      used: false,
      reason: null,
      missing_share: 0,
      min: null,
      max: null,
      categories: null,
      reading: null,
      importance: null,
    };
  });
  const model = { columns, target, target_reading: reading, features: [], partial_rows: null };
  const checks = finish(SchemaChecks.create(model, () => false));
  return {
    columns,
    layout: layOutAnswer(model, false, () => []),
    names: checks.names,
    binner: finish(RowBinner.create(model)),
    maxRows: MAX_ROWS,
    check: () => checks.begin(),
  };
}
