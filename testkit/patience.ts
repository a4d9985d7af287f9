/**
 * The time that the tests wait for an expected event, in milliseconds. None of these limits says how fast it must
 * be: on a machine that is busy with other work it takes many times as long, and a test that passes costs no more.
 */

/** For a page, an answer, or a state that is polled. */
export const WAIT_MS = 240_000;

/** For a test or a hook, with all that it waits for. */
export const TEST_MS = 600_000;
