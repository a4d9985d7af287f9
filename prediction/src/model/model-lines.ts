import * as v from 'valibot';
import type { ModelFeature } from '../trees/binning/dataset.js';
import type { Forest, Tree } from '../trees/forest/tree.js';
import type { Steps } from '../trees/steps.js';
import type { ColumnSummary } from '../table/column-profile.js';
import { ItemLineReader, ItemLineWriter } from './item-lines.js';
import { columnSchema, featureSchema, type forestHeadSchema, treeSchema } from './schemas.js';

/** A forest in the head of an encoded model. */
type ForestHead = v.InferOutput<typeof forestHeadSchema>;

/** The parts of a model that both tasks read first. */
interface Inputs {
  readonly columns: ColumnSummary[];
  readonly features: ModelFeature[];
}

/** Writes a model as lines: columns, features and trees behind the head. */
export class ModelLineWriter extends ItemLineWriter {
  inputs(model: { columns: readonly ColumnSummary[]; features: readonly ModelFeature[] }) {
    return { columns: this.add(model.columns), features: this.add(model.features) };
  }

  forest({ base, trees }: Forest): ForestHead {
    return { base, trees: this.add(trees) };
  }
}

/** Reads the lines of a model, and checks that they refer to what the model has. */
export class ModelLineReader extends ItemLineReader {
  #treeSchema: v.GenericSchema<unknown, Tree> = treeSchema;

  *inputs(head: { columns: number; features: number }): Steps<Inputs> {
    const columns = yield* this.items(head.columns, columnSchema);
    const ofColumns = v.pipe(
      featureSchema,
      v.check(
        ({ column }) => column < columns.length,
        'A feature refers to a column that the model does not have.',
      ),
    );
    const features = yield* this.items(head.features, ofColumns);
    this.#treeSchema = v.pipe(
      treeSchema,
      v.check(
        ({ splits }) => splits.every(({ feature }) => feature < features.length),
        'A split refers to a feature that the model does not have.',
      ),
    );
    return { columns, features };
  }

  /** Reads a forest. Call `inputs` first, which reads the features that splits refer to. */
  *forest({ base, trees }: ForestHead): Steps<Forest> {
    return { base, trees: yield* this.items(trees, this.#treeSchema) };
  }

  *forests(heads: readonly ForestHead[]): Steps<Forest[]> {
    const forests: Forest[] = [];
    for (const head of heads) forests.push(yield* this.forest(head));
    return forests;
  }
}
