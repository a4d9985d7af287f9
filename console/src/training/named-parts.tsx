import { NAMED, type Settings, unset, valuesOf } from './settings.js';

/** The lines that were named to be left out, each with a button that takes it back. */
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
    <ul class="chips" aria-label="Lines that are left out">
      {chosen.map(({ parameter, value }) => (
        <li key={parameter + value}>
          line {value}{' '}
          <button
            type="button"
            aria-label={`Take back line ${value}`}
            onClick={() => onSettings((before) => unset(before, { parameter, value }))}
          >
            ✕
          </button>
        </li>
      ))}
    </ul>
  );
}
