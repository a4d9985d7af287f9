import { readdirSync, readFileSync } from 'node:fs';
import { constants, monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics } from 'node:v8';
import type { Reading, Registry } from './registry.js';

const NANOSECONDS = 1e9;
const MICROSECONDS = 1e6;

/** How often the event loop is looked at, in milliseconds. */
const LOOP_RESOLUTION_MS = 10;

const GC_BOUNDS = [0.001, 0.01, 0.1, 1, 2, 5];

const GC_KINDS = new Map([
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weakcb'],
]);

/** Adds what Node tells of the process, under the names that dashboards for Node know. */
export function addProcessMetrics(registry: Registry): void {
  const gauge = (name: string, help: string, read: () => number) =>
    registry.read('gauge', name, help, () => [[read()]]);

  for (const [name, of] of [
    ['process_cpu_user_seconds_total', ({ user }: NodeJS.CpuUsage) => user],
    ['process_cpu_system_seconds_total', ({ system }: NodeJS.CpuUsage) => system],
    ['process_cpu_seconds_total', ({ user, system }: NodeJS.CpuUsage) => user + system],
  ] as const) {
    const seconds = () => of(process.cpuUsage()) / MICROSECONDS;
    registry.read('counter', name, 'Processor time spent, in seconds.', () => [[seconds()]]);
  }
  const started = Math.round(Date.now() / 1000 - process.uptime());
  gauge('process_start_time_seconds', 'When the process started, in Unix time.', () => started);
  gauge('process_resident_memory_bytes', 'Memory of the process that is not swapped out.', () =>
    process.memoryUsage.rss(),
  );
  registry.read('gauge', 'process_open_fds', 'Open file descriptors.', () =>
    onLinux(() => readdirSync('/proc/self/fd').length - 1),
  );
  registry.read('gauge', 'process_max_fds', 'The most file descriptors that may be open.', () =>
    onLinux(() =>
      Number(/^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]),
    ),
  );
  addEventLoop(registry);
  addMemory(registry);
  addGarbageCollection(registry);

  const resources = 'Timers, sockets and whatever else keeps the event loop alive.';
  registry.read('gauge', 'nodejs_active_resources', resources, activeResources, ['type']);
  gauge('nodejs_active_resources_total', resources, () => process.getActiveResourcesInfo().length);
  registry.read(
    'gauge',
    'nodejs_version_info',
    'The version of Node.js.',
    () => [[1, process.version]],
    ['version'],
  );
}

/** A reading of what Linux tells in `/proc`; none elsewhere. */
function onLinux(read: () => number): Reading[] {
  try {
    const value = read();
    return Number.isFinite(value) ? [[value]] : [];
  } catch {
    return [];
  }
}

function addEventLoop(registry: Registry): void {
  const delay = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
  delay.enable();
  const statistics = [
    ['min', () => delay.min],
    ['max', () => delay.max],
    ['mean', () => delay.mean],
    ['stddev', () => delay.stddev],
    ['p50', () => delay.percentile(50)],
    ['p90', () => delay.percentile(90)],
    ['p99', () => delay.percentile(99)],
  ] as const;
  for (const [statistic, read] of statistics) {
    const name = `nodejs_eventloop_lag_${statistic}_seconds`;
    const help = `How late the event loop was since the last scrape: ${statistic}.`;
    // Before the first measurement there is none, and the mean is no number.
    registry.read('gauge', name, help, () => [[delay.count > 0 ? read() / NANOSECONDS : 0]]);
  }
  // The last of them: the next scrape tells of what comes after this one.
  registry.read('gauge', 'nodejs_eventloop_lag_samples', 'How often that was measured.', () => {
    const { count } = delay;
    delay.reset();
    return [[count]];
  });
}

function addMemory(registry: Registry): void {
  const memory = [
    ['nodejs_heap_size_total_bytes', 'heapTotal', 'The size of the heap.'],
    ['nodejs_heap_size_used_bytes', 'heapUsed', 'How much of the heap is used.'],
    ['nodejs_external_memory_bytes', 'external', 'Memory outside of the heap.'],
  ] as const;
  for (const [name, key, help] of memory) {
    registry.read('gauge', name, help, () => [[process.memoryUsage()[key]]]);
  }
  const spaces = [
    ['total', 'space_size'],
    ['used', 'space_used_size'],
    ['available', 'space_available_size'],
  ] as const;
  for (const [what, key] of spaces) {
    const read = () =>
      getHeapSpaceStatistics().map(
        (space): Reading => [space[key], space.space_name.replace(/_space$/, '')],
      );
    const name = `nodejs_heap_space_size_${what}_bytes`;
    registry.read('gauge', name, `The spaces of the heap: ${what}.`, read, ['space']);
  }
}

function addGarbageCollection(registry: Registry): void {
  const help = 'How long garbage collections took, by kind.';
  const durations = registry.histogram('nodejs_gc_duration_seconds', help, 'kind', GC_BOUNDS);
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      // The types of Node 20 do not have it.
      const kind = GC_KINDS.get(Object(Reflect.get(entry, 'detail')).kind);
      if (kind !== undefined) durations.of(kind).observe(entry.duration / 1000);
    }
  }).observe({ entryTypes: ['gc'] });
}

function activeResources(): Reading[] {
  const counts = new Map<string, number>();
  for (const type of process.getActiveResourcesInfo()) {
    counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  return [...counts].map(([type, count]) => [count, type]);
}
