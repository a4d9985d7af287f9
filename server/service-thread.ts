/** Runs in the thread of the service: the bundle that replaces the separate files of `run.ts`. */
import './run.js';
