/** The entry of the service's thread: a bundle that replaces the separate files of `run.ts`. */
import './run.js';
