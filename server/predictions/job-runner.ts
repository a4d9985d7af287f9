import type { AnswerOptions } from '../../prediction/src/predicting.js';
import { JobHost } from './job-host.js';
import type { Predictors } from './predictors.js';
import type { RunningJob } from './running-job.js';
import { VersionGoneError } from './thread-job.js';
import type { FromJob, ToJob } from './thread-messages.js';

/** Runs jobs somewhere. */
export interface JobRunner {
  /** The number of jobs that run. */
  readonly load: number;
  /** @param onLeave called when the job has ended */
  run(job: RunningJob, options: AnswerOptions, onLeave: () => void): void;
  stop(): Promise<void>;
}

/** The jobs that run in one place. */
export class RunningJobs {
  readonly #jobs = new Map<number, RunningJob>();

  constructor(private readonly send: (message: ToJob) => void) {}

  get size(): number {
    return this.#jobs.size;
  }

  begin(job: RunningJob, options: AnswerOptions, onLeave: () => void): void {
    this.#jobs.set(job.id, job);
    this.send({ kind: 'begin', job: job.id, versionId: job.versionId, options });
    job.begin(this.send, () => {
      this.#jobs.delete(job.id);
      onLeave();
    });
  }

  receive(message: FromJob): void {
    this.#jobs.get(message.job)?.receive(message);
  }

  /** Ends the jobs with an error: all, or those of one version. */
  fail(error: unknown, versionId?: string): void {
    for (const job of [...this.#jobs.values()]) {
      if (versionId === undefined || job.versionId === versionId) job.fail(error);
    }
  }
}

/** Runs jobs on the main loop, between other requests. */
export class MainLoopRunner implements JobRunner {
  readonly #host: JobHost;
  readonly #jobs: RunningJobs = new RunningJobs((message) => this.#host.receive(message));

  constructor(predictors: Pick<Predictors, 'ofVersion'>) {
    const predictorOf = async (versionId: string) => {
      const predictor = await predictors.ofVersion(versionId);
      if (!predictor) throw new VersionGoneError();
      return predictor;
    };
    this.#host = new JobHost(predictorOf, (message) => this.#jobs.receive(message));
  }

  get load(): number {
    return this.#jobs.size;
  }

  run(job: RunningJob, options: AnswerOptions, onLeave: () => void): void {
    this.#jobs.begin(job, options, onLeave);
  }

  async stop(): Promise<void> {}
}
