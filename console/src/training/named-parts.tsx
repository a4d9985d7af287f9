import { NAMED, type Settings, unset, valuesOf } from './settings.js';

/** The words that count as missing and the lines that are left out, each with a button that takes it back. */
export function NamedParts({
  settings,
  onSettings,
}: {
  settings: Settings;
  onSettings: (change: (settings: Settings) => Settings) => void;
}) {
  const chosen = NAMED.flatMap((parameter) => valuesOf(settings, parameter).map((value) => ({ parameter, value })));
  if (chosen.length === 0) return null;
  return (
    <ul class="chips" aria-label="Words that are missing, and lines that are left out">
      {chosen.map(({ parameter, value }) => (
        <li key={parameter + value}>
          {parameter === 'drop_lines' ? `line ${value}` : value}{' '}
          <button
            type="button"
            aria-label={`Take back ${parameter === 'drop_lines' ? 'line ' : ''}${value}`}
            onClick={() => onSettings((before) => unset(before, { parameter, value }))}
          >
            ✕
          </button>
        </li>
      ))}
    </ul>
  );
}
