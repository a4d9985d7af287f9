/**
 * The first rows in a sample of 1,000 out of 10,007, by their numbers from 1 on, as another program computes them. Each
 * kind of database draws these.
 */
export const DRAWN: readonly number[] = [1, 20, 30, 32, 46, 52, 70, 81, 83, 97, 103, 112];
