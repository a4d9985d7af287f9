import { percent } from '../ui/format.js';

/** The choice that leaves the confidence of each row to the service. */
const AUTOMATIC = 'automatic';

/** The choices of a confidence, as the addresses of views have them. */
const CHOICES = ['0.8', '0.9', '0.95', AUTOMATIC] as const;

export type ConfidenceChoice = (typeof CHOICES)[number];

const MEANINGS = { '0.8': 'Eight in ten', '0.9': 'Nine in ten', '0.95': 'Nineteen in twenty' } as const;

export const DEFAULT_CHOICE: ConfidenceChoice = '0.9';

/** Returns a choice that an address names, or the default. */
export function parseChoice(text: string | null): ConfidenceChoice {
  return CHOICES.find((choice) => choice === text) ?? DEFAULT_CHOICE;
}

/** Returns the confidence to ask for; undefined for the service's own choice. */
export function readConfidence(choice: ConfidenceChoice): number | undefined {
  return choice === AUTOMATIC ? undefined : Number(choice);
}

/** Chooses the confidence of intervals and sets. */
export function ConfidenceChoices({
  chosen,
  onChoose,
}: {
  chosen: ConfidenceChoice;
  onChoose: (choice: ConfidenceChoice) => void;
}) {
  return (
    <>
      <Choices
        choices={CHOICES}
        chosen={chosen}
        onChoose={onChoose}
        nameOf={(choice) => (choice === AUTOMATIC ? 'Automatic' : percent(Number(choice)))}
      />
      <p class="faint">
        {chosen === AUTOMATIC
          ? 'Each row gets the highest confidence at which its interval is narrow enough to be of use.'
          : `${MEANINGS[chosen]} of the actual values are expected to lie in their interval, or in their set of classes.`}
      </p>
    </>
  );
}

/** Chooses a level, as that of the intervals of a forecast. */
export function Choices<T extends string | number>({
  choices,
  chosen,
  onChoose,
  nameOf,
}: {
  choices: readonly T[];
  chosen: T;
  onChoose: (choice: T) => void;
  nameOf: (choice: T) => string;
}) {
  return (
    <fieldset class="choices">
      <legend>Confidence</legend>
      {choices.map((choice) => (
        <label key={choice}>
          <input type="radio" name="confidence" checked={chosen === choice} onChange={() => onChoose(choice)} />
          {nameOf(choice)}
        </label>
      ))}
    </fieldset>
  );
}
