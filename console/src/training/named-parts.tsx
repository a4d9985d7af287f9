import { NAMED, type Settings, unset, valuesOf } from './settings.js';

/** The words and lines that were named for a table, each with a button that takes it back. */
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
    <ul class="chips" aria-label="Words that count as missing, and lines that are left out">
      {chosen.map(({ parameter, value }) => (
        <li key={parameter + value}>
          {describe(parameter, value)}{' '}
          <button
            type="button"
            aria-label={`Take back ${describe(parameter, value)}`}
            onClick={() => onSettings((before) => unset(before, { parameter, value }))}
          >
            ✕
          </button>
        </li>
      ))}
    </ul>
  );
}

function describe(parameter: string, value: string): string {
  if (parameter === 'drop_lines') return `line ${value}`;
  if (parameter === 'missing') return `“${value}”`;
  const at = value.indexOf('=');
  return `“${value.slice(at + 1)}” in ${value.slice(0, at)}`;
}
