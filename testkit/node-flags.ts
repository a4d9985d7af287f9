/**
 * Flags of V8 for code that runs for seconds: garbage is collected by one thread, and code is optimised later than in a
 * service that runs for weeks. Together they save a quarter of the processor time of the tests. Later versions of
 * V8 count calls instead, and have no such budget.
 */
export const BRIEF_RUN_FLAGS: readonly string[] = [
  '--single-threaded-gc',
  ...(process.versions.v8.startsWith('11.') ? ['--interrupt-budget=600000'] : []),
];
