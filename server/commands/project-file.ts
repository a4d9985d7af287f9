import { CORE_SCHEMA, dump, load } from 'js-yaml';
import { writePointer } from '../../contract/pointer.js';
import { type Place, readYaml, YamlError } from '../../contract/yaml.js';
import type { components } from '../../generated/openapi.js';

type Manifest = components['schemas']['Manifest'];

/** The largest file, in bytes: more than a manifest may have, for comments and indentation. */
export const MAX_FILE_BYTES = 32 * 1024 * 1024;

/** The most values and characters of texts that aliases may make of a file. */
const MAX_EXPANDED = 64 * 1024 * 1024;

const HEADER = `# The resources of a project of Roster. "roster apply" makes a project so, "roster export" wrote this file.
# No secret is here: skills name databases and MCP servers, whose secrets those who run the service keep.
`;

/**
 * Writes a manifest as YAML: as lines that people can read and compare, the same for the same manifest.
 * @throws if an entry cannot be written so that it is read again as it is
 */
export function writeProjectFile(manifest: Manifest): string {
  return HEADER + (manifest.length === 0 ? '[]\n' : manifest.map(writeEntry).join(''));
}

function writeEntry(entry: Manifest[number]): string {
  const json = JSON.stringify([entry]);
  // JSON is YAML, too, and can say what a file in UTF-8 cannot, such as half of a surrogate pair.
  for (const text of [dump([entry], { noRefs: true, lineWidth: -1 }), `- ${json.slice(1, -1)}\n`]) {
    if (!HALF_PAIR.test(text) && JSON.stringify(load(text, { schema: CORE_SCHEMA })) === json) {
      return text;
    }
  }
  throw new Error(`YAML cannot hold this entry: ${json.slice(0, 200)}`);
}

/** A file in UTF-8 cannot hold it. */
const HALF_PAIR = /\p{Surrogate}/u;

/** A fault of a file, at its place if that is known. */
export class FileError extends Error {}

/** A project file: its value as JSON, and where each part of it stands. */
export interface ProjectFile {
  readonly value: unknown;
  /**
   * Returns the place of a part, such as `project.yaml:12:7`: of a member that of its name.
   * @param tokens the keys and indices that lead to it; of a part that is missing, the place of what it is missing in
   */
  readonly locate: (tokens: readonly string[]) => string;
}

/**
 * Reads YAML, which may be JSON.
 * @param name of the file, for places
 * @throws {FileError} with the place, if it is not YAML, or not JSON's values, or its aliases make a cycle or too much
 */
export function readProjectFile(text: string, name: string): ProjectFile {
  const write = ({ line, column }: Place) => `${name}:${line}:${column}`;
  try {
    const { content: value, locateName } = readYaml(text, MAX_EXPANDED);
    const locate = (tokens: readonly string[]) => write(locateName(writePointer(tokens)));
    refuseNumbers(value, [], locate, new Set());
    return { value, locate };
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new FileError(`${write(error.place)}: ${error.reason}`);
  }
}

/**
 * Refuses numbers that JSON does not have.
 * @param done the objects that aliases lead to again
 */
function refuseNumbers(
  value: unknown,
  tokens: readonly string[],
  locate: ProjectFile['locate'],
  done: Set<object>,
): void {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new FileError(`${locate(tokens)}: must be a number that JSON has; ${value} is not one`);
  }
  if (typeof value !== 'object' || value === null || done.has(value)) return;
  done.add(value);
  for (const [name, member] of Object.entries(value)) {
    refuseNumbers(member, [...tokens, name], locate, done);
  }
}
