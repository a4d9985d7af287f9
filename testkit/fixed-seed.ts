import fc from 'fast-check';

/**
 * The seed of all properties, which stays: a change is judged by what it changes. `FAST_CHECK_SEED=random` draws a
 * fresh one for each property, and a number tries that seed, such as the seed that a failure names.
 */
const SEED = process.env['FAST_CHECK_SEED'] ?? '1';

if (SEED !== 'random') {
  const seed = Number(SEED);
  if (SEED.trim() === '' || !Number.isInteger(seed)) {
    throw new Error(`FAST_CHECK_SEED is "${SEED}", and not a whole number or "random"`);
  }
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
}
