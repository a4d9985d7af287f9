import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that start services, browsers and trainings one after the other. */
const LONGEST =
  /contract-tests\/(behaviour\/models|client|cluster|console|docs|predictions)\/|server\/(commands|databases|main|models)/;

/** Begins the longest files of a project first: begun last, one of them would run alone at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project.name))];
    const order = ({ project, moduleId }: TestSpecification) =>
      2 * projects.indexOf(project.name) + (LONGEST.test(moduleId) ? 0 : 1);
    return sorted.toSorted((one, other) => order(one) - order(other));
  }
}
