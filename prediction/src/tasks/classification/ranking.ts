/** How well probabilities rank rows of classes before all others, on rows that forests were not trained on. */

/** No part of an encoded model: what is measured for people may grow, and the bytes of a model stay. */
export interface Ranking {
  /** The mean of the classes' areas; null if no class has one. */
  readonly auc: number | null;
  /** In the order of the classes. */
  readonly by_class: readonly ClassRanking[];
}

export interface ClassRanking {
  /** The area under the curve of one class against the rest (Hanley & McNeil 1982); null if no row, or each, is of the class. */
  readonly auc: number | null;
  /** Null without an area, and for models of more than ten classes. */
  readonly thresholds: ThresholdTable | null;
}

/**
 * The outcome of calling each row of the class whose probability is at least a threshold, in columns: the thresholds
 * descend to 0, which calls every row.
 */
export interface ThresholdTable {
  readonly probability: number[];
  /** Rows of the class that are called so. */
  readonly caught: number[];
  /** Rows of other classes that are called so. */
  readonly false_alarms: number[];
}

const MAX_CLASSES = 10;

/** The steps of a table: each calls at most about this much more of the class's rows and of the others', in shares of these. */
const STEP = 2 / 99;

/** Answers state probabilities in millionths. */
const MILLION = 1e6;

/** In millionths, the threshold that calls what is answered, where there are two classes. Each table has it. */
const HALF = 5e5;

/** @param probabilities row by row, one for each class. */
export function rankClasses(probabilities: Float64Array, labels: Uint16Array, classCount: number): Ranking {
  const by_class = Array.from({ length: classCount }, (_, index) => {
    const ranks = Float64Array.from(labels, (label, row) => {
      const probability = probabilities[row * classCount + index] ?? 0;
      return 2 * Math.round(probability * MILLION) + Number(label === index);
    });
    const { auc, thresholds } = rankRows(ranks.sort());
    return { auc, thresholds: classCount > MAX_CLASSES ? null : thresholds };
  });
  const areas = by_class.flatMap(({ auc }) => (auc === null ? [] : [auc]));
  const sum = areas.reduce((total, area) => total + area, 0);
  return { auc: areas.length > 0 ? sum / areas.length : null, by_class };
}

/** @param ranks ascending: of each row twice its probability in millionths, and one more if it is of the class. */
function rankRows(ranks: Float64Array): ClassRanking {
  const own = ranks.reduce((sum, rank) => sum + (rank % 2), 0);
  const others = ranks.length - own;
  if (own === 0 || others === 0) return { auc: null, thresholds: null };
  const table: ThresholdTable = { probability: [], caught: [], false_alarms: [] };
  let [caught, falseAlarms, written, wins] = [0, 0, 0, 0];
  for (let last = ranks.length - 1; last >= 0; ) {
    const value = millionthsAt(ranks, last);
    const [caughtBefore, alarmsBefore] = [caught, falseAlarms];
    for (; last >= 0 && millionthsAt(ranks, last) === value; last--) {
      if ((ranks[last] ?? 0) % 2 === 1) caught++;
      else falseAlarms++;
    }
    // A tie is half a win.
    wins += (caught - caughtBefore) * (others - (alarmsBefore + falseAlarms) / 2);
    const next = last < 0 ? -1 : millionthsAt(ranks, last);
    const reached = caught / own + falseAlarms / others;
    const isHalf = next < HALF && HALF <= value;
    if (reached - written < STEP && last >= 0 && !isHalf) continue;
    written = reached;
    table.probability.push(isHalf && last >= 0 ? HALF / MILLION : shortest(next, value));
    table.caught.push(caught);
    table.false_alarms.push(falseAlarms);
  }
  return { auc: wins / (own * others), thresholds: table };
}

function millionthsAt(ranks: Float64Array, at: number): number {
  return Math.floor((ranks[at] ?? 0) / 2);
}

/** Returns the probability of fewest decimals that is above one number of millionths, and at most another. */
function shortest(above: number, most: number): number {
  let unit = MILLION;
  while (unit > 1 && Math.floor(most / unit) * unit <= above) unit /= 10;
  return (Math.floor(most / unit) * unit) / MILLION;
}
