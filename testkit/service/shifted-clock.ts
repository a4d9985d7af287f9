import { execFileSync } from 'node:child_process';
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { findProgram } from '../programs.js';

/** Shifts the clock of the time of day, by the seconds in a file that may change meanwhile. */
const SOURCE = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

static int64_t shift(void) {
  static volatile int64_t *seconds;
  if (!seconds) {
    int file = open(getenv("CLOCK_SHIFT_FILE"), O_RDONLY);
    seconds = mmap(0, sizeof *seconds, PROT_READ, MAP_SHARED, file, 0);
    if (seconds == MAP_FAILED) abort();
  }
  return *seconds;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  int (*real)(clockid_t, struct timespec *) = dlsym(RTLD_NEXT, "clock_gettime");
  int failed = real(clock, now);
  if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) now->tv_sec += shift();
  return failed;
}

int gettimeofday(struct timeval *now, void *zone) {
  int (*real)(struct timeval *, void *) = dlsym(RTLD_NEXT, "gettimeofday");
  int failed = real(now, zone);
  now->tv_sec += shift();
  return failed;
}
`;

/** The compiler of this machine; undefined if it has none, or programs that must not get another time. */
export const compiler = process.platform === 'linux' ? findProgram('CC', ['cc', 'gcc', 'clang'], []) : undefined;

/** A clock of processes that may jump while they run. */
export interface ShiftedClock {
  /** The environment of processes that have it. */
  readonly env: NodeJS.ProcessEnv;
  set(seconds: number): void;
}

/** @param fileOf returns the path of a file that is removed with the test */
export function createShiftedClock(fileOf: (name: string) => string): ShiftedClock {
  const [source, library, file] = ['clock.c', 'clock.so', 'clock'].map(fileOf);
  if (!compiler || !source || !library || !file) throw new Error('There is no compiler');
  writeFileSync(source, SOURCE);
  execFileSync(compiler, ['-shared', '-fPIC', '-o', library, source, '-ldl']);
  const set = (seconds: number) => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(BigInt(seconds));
    // In place: the processes have its first bytes in their memory.
    const opened = openSync(file, 'a+');
    closeSync(opened);
    const written = openSync(file, 'r+');
    writeSync(written, bytes, 0, bytes.length, 0);
    closeSync(written);
  };
  set(0);
  return { env: { LD_PRELOAD: library, CLOCK_SHIFT_FILE: file }, set };
}
