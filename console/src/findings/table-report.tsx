import type { Model } from 'roster-client';
import { href } from '../router/route.js';
import { count, whole } from '../ui/format.js';
import { FindingList } from './finding-list.js';
import { describeRemedy } from './remedy-words.js';

type Reading = NonNullable<Model['reading']>;

/**
 * The report on the table of a version: the rows that were left out, the words that count as missing, and what looks
 * odd. A remedy leads to a new training that has its parameter.
 * @param isFile true in a report that is saved, in which links lead nowhere
 */
export function TableReport({ project, model, isFile }: { project: string; model: Model; isFile: boolean }) {
  const { name, reading, findings, source } = model;
  if (reading === null && findings.length === 0) return null;
  const [example] = findings.flatMap(({ remedies }) => remedies);
  const isLinked = !isFile && source === null;
  return (
    <section class="look">
      <h2>The table</h2>
      {reading && <Rows reading={reading} />}
      {findings.length > 0 && (
        <FindingList
          findings={findings}
          control={(remedy) =>
            isLinked && (
              <a
                key={remedy.parameter + remedy.value}
                class="button"
                href={href(['projects', project, 'models', '~new'], { name, [remedy.parameter]: remedy.value })}
              >
                {describeRemedy(remedy)}, and train again
              </a>
            )
          }
        />
      )}
      {example && !isFile && (
        <p class="hint">
          By API, send the parameter with the next training, such as{' '}
          <code>{new URLSearchParams([[example.parameter, example.value]]).toString()}</code>.
        </p>
      )}
    </section>
  );
}

const CAUSES: Readonly<Record<Reading['left_out'][number]['cause'], string>> = {
  no_target: 'Without a value to predict',
  dropped: 'Named to be left out',
  repeated_moment: 'With the moment of a later row',
};

function Rows({ reading: { rows_sent, rows_used, rows_of_query, left_out, missing_words } }: { reading: Reading }) {
  return (
    <>
      <p>
        {left_out.length === 0
          ? `All ${count(rows_sent, 'row')} were used.`
          : `${whole(rows_used)} of ${count(rows_sent, 'row')} were used.`}
        {rows_of_query !== undefined && ` They are a random sample of the ${count(rows_of_query, 'row')} of the query.`}
      </p>
      {left_out.length > 0 && (
        <ul>
          {left_out.map(({ cause, rows, words }) => (
            <li key={cause}>
              {CAUSES[cause]}: {count(rows, 'row')}
              {words.length > 0 && ` (${words.map(({ word, rows: of }) => `${whole(of)} × “${word}”`).join(', ')})`}.
            </li>
          ))}
        </ul>
      )}
      {missing_words.length > 0 && (
        <p class="hint">Beside empty cells, these count as missing: {missing_words.join(', ')}.</p>
      )}
    </>
  );
}
