import type { CodeBlock, MarkdownPage } from './markdown.js';

export interface NamedAddress {
  /** Undefined if the page gives none. */
  readonly method: string | undefined;
  /** As the page spells it: `/projects/{project_name}`, `/projects/default?limit=2`, `…/versions/N`. */
  readonly address: string;
}

const SERVICE = 'http://127.0.0.1:4000';
const URL_OF_SERVICE = /127\.0\.0\.1:40[01]0(\/[^\s"'`)>]*)?/;
const INLINE_CODE = /`([^`\n]+)`/g;
const IN_TEXT = /^(?:(GET|HEAD|POST|PUT|DELETE|OPTIONS) )?((?:\/|…\/)\S*)$/;

/** Returns the addresses in the requests of a page's code, and those in its prose and tables. */
export function listAddresses({ blocks, prose }: MarkdownPage): NamedAddress[] {
  const inlineCode = [...prose.matchAll(INLINE_CODE)].map(([, code = '']) => code);
  const links = [...prose.matchAll(/<(http:[^>]+)>/g)].flatMap(([, link = '']) => inUrl(link));
  return [
    ...inlineCode.flatMap((code) => (isCommand(code) ? inShell(code) : inText(code))),
    ...links,
    ...inCode(blocks),
  ];
}

function inText(code: string): NamedAddress[] {
  const [, method, address] = IN_TEXT.exec(code) ?? [];
  return address === undefined ? [] : [{ method, address }];
}

function inUrl(text: string, method?: string): NamedAddress[] {
  const address = URL_OF_SERVICE.exec(text)?.[1];
  return address === undefined ? [] : [{ method, address }];
}

/** Reads the blocks in their order: a variable of one is known in those after it. */
function inCode(blocks: readonly CodeBlock[]): NamedAddress[] {
  const code = (...languages: string[]) =>
    blocks.filter(({ language }) => languages.includes(language)).map((block) => block.code);
  return [
    ...inShell(code('sh', 'bash').join('\n')),
    ...code('python').flatMap(inPython),
    ...code('json').flatMap((json) =>
      [...json.matchAll(/"instance": "([^"]+)"/g)].map(([, address = '']) => ({ method: undefined, address })),
    ),
  ];
}

function isCommand(line: string): boolean {
  return /\b(curl|ask) /.test(line);
}

function inShell(script: string): NamedAddress[] {
  const variables = new Map([['R', SERVICE]]);
  const lines = script.replaceAll('\\\n', ' ').split('\n');
  return lines.flatMap((line) => {
    const command = line.replaceAll(/\$(\w+)/g, (unknown, name) => variables.get(name) ?? unknown);
    for (const [, name = '', value = ''] of command.matchAll(/\b([A-Z]+)=(http\S+)/g)) {
      variables.set(name, value);
    }
    return isCommand(command) && !command.startsWith('#') ? inUrl(command, readMethod(command)) : [];
  });
}

function readMethod(command: string): string {
  const named = / -\w*X ?([A-Z]+)/.exec(command)?.[1];
  if (named !== undefined) return named;
  if (/ -T /.test(command)) return 'PUT';
  return / (-d|--data|--data-binary|--json) /.test(command) ? 'POST' : 'GET';
}

function inPython(code: string): NamedAddress[] {
  const variables = new Map<string, string>();
  for (const [, name = '', url = ''] of code.matchAll(/^(\w+) = "(http[^"]+)"/gm)) {
    variables.set(name, url);
  }
  const requests = code.matchAll(/requests\.(\w+)\((?:f"\{)?(\w+)(?:\}([^"]*)")?/g);
  return [...requests].flatMap(([, method = '', name = '', rest = '']) =>
    inUrl((variables.get(name) ?? '') + rest, method.toUpperCase()),
  );
}
