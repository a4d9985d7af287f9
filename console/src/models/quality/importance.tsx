import type { Column, Model } from 'roster-client';
import { Bars } from '../../plots/bars.js';
import { Captioned } from '../../plots/figure.js';
import { whole, within } from '../../ui/format.js';
import { targetUnit } from '../../ui/units.js';

/** The most columns to show at once; the others can be opened. */
const MAX_SHOWN = 12;

/** Returns the columns that a model uses, the most important first. */
export function byImportance(columns: readonly Column[]): Column[] {
  const weight = ({ importance }: Column) => importance?.permutation ?? 0;
  return columns.filter(({ used }) => used).sort((a, b) => weight(b) - weight(a));
}

/** The importance of the columns that a model uses, and why it does not use the others. */
export function Importance({ model }: { model: Model }) {
  const columns = byImportance(model.columns ?? []);
  const unused = (model.columns ?? []).filter(({ used }) => !used);
  const unit = targetUnit(model);
  const longest = Math.max(0, columns[0]?.importance?.permutation ?? 0) || 1;
  // All have the decimals of the largest: what is a millionth of it is nothing.
  const write = within(longest, unit, true);
  const rows = columns.map(({ name, importance }) => {
    const value = importance?.permutation ?? 0;
    return { name, share: value / longest, text: write(value) };
  });
  return (
    <>
      {columns.some(({ importance }) => importance) && (
        <Captioned
          title="Importance of columns"
          description={
            model.task === 'regression'
              ? `How much the root mean squared error${unit ? '' : `, in units of ${model.target},`} grows when the column’s values are shuffled.`
              : 'How much the log loss grows when the column’s values are shuffled.'
          }
        >
          <Bars rows={rows.slice(0, MAX_SHOWN)} />
          {rows.length > MAX_SHOWN && (
            <details>
              <summary>Show {whole(rows.length - MAX_SHOWN)} more</summary>
              <Bars rows={rows.slice(MAX_SHOWN)} />
            </details>
          )}
        </Captioned>
      )}
      {unused.length > 0 && (
        <section class="not-used">
          <h3>Columns that are not used</h3>
          <dl class="unused">
            {unused.map(({ name, reason }) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{reason}</dd>
              </div>
            ))}
          </dl>
        </section>
      )}
    </>
  );
}
