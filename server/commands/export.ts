import { Command } from 'commander';
import { type ProjectOptions, RemoteProject, withProject, writeNamedFile } from './project-client.js';
import { writeProjectFile } from './project-file.js';

interface ExportOptions extends ProjectOptions {
  readonly output?: string;
}

export const exportCommand = withProject(
  new Command('export').description('write the resources of a project as a file for "roster apply"'),
)
  .option('--output <file>', 'the file to write (default: standard output)')
  .action(exportProject);

async function exportProject({ output, ...options }: ExportOptions): Promise<void> {
  const text = writeProjectFile(await new RemoteProject(options).read());
  if (output === undefined) process.stdout.write(text);
  else writeNamedFile(output, text);
}
