import { workerData } from 'node:worker_threads';

/** Runs in a thread of its own, and ends the process even while its main thread is busy. */
setTimeout(() => process.kill(process.pid, 'SIGKILL'), Number(workerData));
