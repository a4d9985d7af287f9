import { useState } from 'preact/hooks';
import type { Finding } from '../findings/finding.js';
import { FindingList, keyOf } from '../findings/finding-list.js';
import { describeRemedy } from '../findings/remedy-words.js';
import type { ColumnProfile } from '../tables/column-profile.js';
import { describeUndecided } from '../tables/column-words.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { count } from '../ui/format.js';
import { canSet, isSet, type Settings, set, unset } from './settings.js';
import type { PreviewState } from './use-preview.js';

/**
 * The look at a table before its training: what the service finds odd in its first rows. One click sets the parameter
 * that mends it, and another takes it back.
 */
export function TableLook({
  state: { preview, isReading, error },
  profiles,
  faults,
  settings,
  onSettings,
}: {
  state: PreviewState;
  profiles: readonly ColumnProfile[];
  /** The faults that a training would refuse. */
  faults: readonly string[];
  /** With the uses of columns that the page suggests. */
  settings: Settings;
  onSettings: (change: (settings: Settings) => Settings) => void;
}) {
  // A finding that is mended is no longer found. It stays here, with the focus, so that it can be taken back.
  const [touched, setTouched] = useState<readonly Finding[]>([]);
  const isTouched = (finding: Finding) => touched.some((one) => keyOf(one) === keyOf(finding));
  const found = findAll(preview?.findings ?? [], profiles, settings);
  const shown = [...touched, ...found.filter((finding) => !isTouched(finding))];
  return (
    <section class="look">
      <h2>Before you train</h2>
      <p role="status">
        {isReading ? 'Reading the table …' : describe(found.length + faults.length, preview?.rowsRead)}
      </p>
      {error !== null && <ErrorNotice error={error} />}
      {faults.length > 0 && (
        <ul class="notice warning faults">
          {faults.map((fault) => (
            <li key={fault}>{fault}</li>
          ))}
        </ul>
      )}
      <FindingList
        findings={shown}
        control={(remedy, finding) => {
          if (!canSet(remedy)) return null;
          const isApplied = isSet(settings, remedy);
          return (
            <button
              key={remedy.parameter + remedy.value}
              type="button"
              aria-pressed={isApplied}
              onClick={() => {
                onSettings((before) => (isApplied ? unset : set)(before, remedy));
                if (!isTouched(finding)) setTouched([...touched, finding]);
              }}
            >
              {describeRemedy(remedy, preview?.columns.get(finding.column ?? '')?.alternatives)}
            </button>
          );
        }}
      />
    </section>
  );
}

/** Adds the columns whose meaning nothing shows, if they are used, as questions: each answer reads an example. */
function findAll(sent: readonly Finding[], profiles: readonly ColumnProfile[], { uses }: Settings): Finding[] {
  const questions = profiles.flatMap(({ name, reading, alternatives }): Finding[] => {
    const isNamed = sent.some(({ kind, column }) => kind === 'undecided_column' && column === name);
    if (reading?.kind !== 'undecided' || isNamed || alternatives.length === 0 || uses.get(name) === 'unused') return [];
    return [
      {
        kind: 'undecided_column',
        column: name,
        rows: null,
        share: null,
        places: [],
        message: `The column “${name}” is undecided: ${describeUndecided(reading)}.`,
        effect: 'Without an answer, its texts are categories.',
        remedies: alternatives.map(({ parameter, value }) => ({ parameter, value })),
      },
    ];
  });
  return [...questions, ...sent];
}

function describe(found: number, rows: number | undefined): string {
  if (!rows) return '';
  const where = `in the first ${count(rows, 'row')}`;
  return found === 0 ? `Nothing looks odd ${where}.` : `${count(found, 'finding')} ${where}.`;
}
