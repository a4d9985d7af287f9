import { chooseIds, columnName, type UnreadTruth } from 'roster-prediction/predicting';
import type { components } from '../../../generated/openapi.js';
import type { Handlers } from '../../api/handlers.js';
import { findProject } from '../../projects/projects.js';
import type { Store } from '../../store/index.js';
import { findFormat, parseForm } from '../formats.js';
import { type Model, requireServing } from '../model-rows.js';
import type { Tables } from '../training/tables.js';
import { slowSender } from '../training/uploads.js';
import type { Unmet } from './locate-truths.js';
import { readPromisedIds } from './promised-ids.js';
import { addTruths, findTargetWords } from './truth-rows.js';

type Actuals = components['schemas']['Actuals'];
type UnmatchedTruth = Actuals['unmatched_rows'][number];

/** The most rows without a promise that an answer lists. */
const MAX_LISTED = 100;

export function actualsOperations(store: Store, tables: Tables): Pick<Handlers, 'addActuals'> {
  return {
    addActuals: async (request) => {
      const { caller, params, query, body, responseClosed, reply } = request;
      const { owner, act } = caller;
      const project = await findProject(store, caller, params.projectName);
      // A newer version may still train, or have failed, and then has no columns by which to read the rows.
      const model = await requireServing(store, project, params.modelName);
      const { mediaType, bytes: text } = body;
      const job = {
        truths: {
          target: model.target,
          reading: model.task === 'classification' ? null : model.target_reading,
          missingWords: await findTargetWords(store, model.id),
          ids: chooseIds(findIdColumn(query.id), findSeries(model)),
        },
        format: findFormat(mediaType),
        form: parseForm(query, request),
      };
      const isForecast = model.task === 'forecast' && query.id === undefined;
      const target = { owner, project: project.name, modelId: model.id, act };
      const counted = new CountedTruths();
      const promised = (signal: AbortSignal) => readPromisedIds(store, { modelId: model.id, isForecast }, signal);
      const source = { owner, text, promised, tooSlow: slowSender('truths'), signal: responseClosed };
      await tables.readActuals({ ...source, ...job }, async ({ groups, unread, repeats }) => {
        const { unmet, ...counts } = await addTruths(store, target, groups);
        counted.add({ ...counts, unchanged: counts.unchanged + repeats }, [...unread, ...unmet]);
      });
      return reply({ status: 200, body: counted.answer() });
    },
  };
}

function findIdColumn(id: string | undefined): string | undefined {
  return id === undefined ? undefined : columnName(id);
}

function findSeries(model: Model) {
  if (model.task !== 'forecast') return undefined;
  // The moments of such a table have no offset from UTC, or are days by the clock of a changing one.
  if (!HAS_CLOCK.test(String(model.series.first))) return model;
  const columns = model.columns?.map((column) => (column.name === model.order_by ? readByClock(column) : column));
  return { ...model, columns: columns ?? null };
}

/** A time without an offset from UTC. */
const HAS_CLOCK = /T[\d:.]+$/;

function readByClock({ name, reading }: NonNullable<Model['columns']>[number]) {
  const order = reading?.kind === 'date' ? reading.order : 'iso';
  return { name, reading: { kind: 'date', order, decided_by: 'values', by_clock: true } } as const;
}

/** The outcome of the truths of a body. */
class CountedTruths {
  readonly #counts = { matched: 0, corrected: 0, unchanged: 0 };
  readonly #listed: (readonly [row: number, why: Unmet | UnreadTruth])[] = [];
  /** Rows from this one on are not listed. */
  #lastListed = Number.POSITIVE_INFINITY;
  #unmatched = 0;

  add(
    counts: Pick<Actuals, 'matched' | 'corrected' | 'unchanged'>,
    unmatched: readonly (readonly [row: number, why: Unmet | UnreadTruth])[],
  ): void {
    this.#counts.matched += counts.matched;
    this.#counts.corrected += counts.corrected;
    this.#counts.unchanged += counts.unchanged;
    this.#unmatched += unmatched.length;
    for (const truth of unmatched) {
      if (truth[0] >= this.#lastListed) continue;
      this.#listed.push(truth);
      if (this.#listed.length === 2 * MAX_LISTED) this.#cutListed();
    }
    this.#cutListed();
  }

  /** Keeps the first rows of all chunks, which do not arrive in the order of the rows. */
  #cutListed(): void {
    this.#listed.sort(([one], [other]) => one - other);
    this.#listed.splice(MAX_LISTED);
    if (this.#listed.length === MAX_LISTED) this.#lastListed = this.#listed.at(-1)?.[0] ?? 0;
  }

  answer(): Actuals {
    const unmatched_rows = this.#listed.map(([row, reason]): UnmatchedTruth => ({ row, reason }));
    return { ...this.#counts, unmatched: this.#unmatched, unmatched_rows };
  }
}
