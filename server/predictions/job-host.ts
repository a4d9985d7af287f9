import type { AnyPredictor } from '../../prediction/src/predicting.js';
import { ThreadJob } from './thread-job.js';
import type { FromJob, ToJob } from './thread-messages.js';

/** Runs jobs by messages: in a thread of their own, or on the main loop. */
export class JobHost {
  readonly #jobs = new Map<number, ThreadJob>();

  /**
   * @param predictorOf returns the predictor of a version; throws a `VersionGoneError` if the store
   *   does not have it any more
   */
  constructor(
    private readonly predictorOf: (versionId: string) => Promise<AnyPredictor>,
    private readonly post: (message: FromJob) => void,
  ) {}

  receive(message: ToJob): void {
    if (message.kind === 'begin') {
      const job = new ThreadJob(message.job, message.options, this.post);
      this.#jobs.set(message.job, job);
      void job
        .run(this.predictorOf(message.versionId))
        .finally(() => this.#jobs.delete(message.job));
      return;
    }
    const job = this.#jobs.get(message.job);
    switch (message.kind) {
      case 'piece':
        job?.add(message.bytes);
        break;
      case 'end':
        job?.endBody();
        break;
      case 'taken':
        job?.partTaken();
        break;
      case 'abort':
        job?.abort();
        break;
    }
  }
}
