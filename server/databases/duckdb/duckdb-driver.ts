import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownName, removeLeftovers } from '../../common/leftovers.js';
import { WorkerPool } from '../../work/worker-pool.js';
import type { Driver, QueryLimits } from '../driver.js';
import type { DuckdbSettings } from '../settings.js';
import { type WorkerAnswer, type WorkerTask, workerDriver } from '../worker-driver.js';

/** The bounds of the work that DuckDB does for one query. */
interface Bounds {
  /** The memory that DuckDB counts. */
  readonly memoryMiB: number;
  readonly threads: number;
  /** The folder for what does not fit into memory, with the most that it may take; left out if there is none. */
  readonly temporary?: { readonly path: string; readonly maxMiB: number };
}

/** A job of the process that runs DuckDB. */
export interface DuckdbJob extends WorkerTask {
  readonly name: string;
  readonly database: Pick<DuckdbSettings, 'source' | 'extensions'>;
  /** The home of the user of the service, below which DuckDB installs extensions. */
  readonly home: string;
  readonly bounds: Bounds;
}

const DEFAULTS = { memory_mib: 1024, temporary_mib: 4096 };

/** An agent's query has a part of the memory, since four run at once, and no folder for what does not fit into it. */
const AGENT_SHARE = 0.25;

/** More threads make most queries no faster, and leave nothing for the service. */
const MAX_THREADS = 4;

/** The memory of a process beside what DuckDB counts, such as its code, its buffers and V8's heap. */
const BESIDE_MIB = 384;

const MIB = 1024 * 1024;

const PROCESSES = {
  maxHeapMiB: 128,
  maxSilenceMs: 5 * 60_000,
  isBackground: true,
  maxIdle: 1,
  maxIdleMemoryBytes: 512 * MIB,
  idleTimeoutMs: 30_000,
};

/** The beginning of the names of folders for what does not fit into memory. */
const FOLDERS = 'roster-duckdb-';

let removed: Promise<void> | undefined;

/** Creates a folder for what does not fit into memory. The first call removes the folders that killed services left. */
async function createFolder(): Promise<string> {
  removed ??= removeLeftovers(tmpdir(), FOLDERS, /^-\w{6}$/);
  await removed;
  return mkdtemp(join(tmpdir(), `${ownName(FOLDERS)}-`));
}

/**
 * Runs DuckDB in worker processes: it is native code with its own threads. A query that takes too long or too much
 * memory is ended with its process.
 *
 * @param limits those of agents have a bound of rows, those of trainings have none
 */
export function openDuckdb(name: string, settings: DuckdbSettings, limits: QueryLimits, script: URL): Driver {
  const { source, extensions, limits: { memory_mib: memory, temporary_mib: temporary, threads } = {} } = settings;
  const isTraining = limits.maxRows === Number.POSITIVE_INFINITY;
  const memoryMiB = Math.ceil((memory ?? DEFAULTS.memory_mib) * (isTraining ? 1 : AGENT_SHARE));
  const bounds = { memoryMiB, threads: threads ?? Math.min(MAX_THREADS, availableParallelism()) };
  const maxTemporary = isTraining ? (temporary ?? DEFAULTS.temporary_mib) : 0;
  const pool = new WorkerPool<DuckdbJob, WorkerAnswer>({
    ...PROCESSES,
    script,
    maxMemoryBytes: (memoryMiB + BESIDE_MIB) * MIB,
  });
  const reading = workerDriver(name, async (task, signal, onData) => {
    // A process that is ended leaves its files.
    const path = maxTemporary > 0 ? await createFolder() : undefined;
    const spill = path === undefined ? bounds : { ...bounds, temporary: { path, maxMiB: maxTemporary } };
    try {
      const details = { ...task, name, database: { source, extensions }, home: homedir(), bounds: spill };
      return await pool.run({ details, signal, onData });
    } finally {
      if (path !== undefined) await rm(path, { recursive: true, force: true });
    }
  });
  return { ...reading, stop: () => pool.close() };
}
