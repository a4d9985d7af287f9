const IMPORT = /^(?:from (\S+) )?import (.+)$/m;
const DEFINITION = /^(?:@.*\n)*(?:(?:async )?def |class )?(\w+)/;

/**
 * Returns a generated Python module without the definitions and imports that nothing needs. Comments between
 * definitions, which Redocly writes about the parts of its runtime, go too.
 * @param module with each statement at the margin beginning a line
 * @param names that users of the module import
 */
export function keepReached(module: string, names: readonly string[]): string {
  // A decorator belongs to the definition after it.
  const [head = '', ...statements] = module.split(/^(?=[@\w])(?<!^@.*\n)/m);
  const imports = statements.filter((statement) => IMPORT.test(statement));
  const definitions = statements.filter((statement) => !IMPORT.test(statement));
  const reached = reach(definitions, names);
  const kept = definitions.filter((definition) => reached.has(definedName(definition)));
  return head + mergeImports(imports, reached) + kept.map((definition) => definition.replace(/^#.*\n/gm, '')).join('');
}

/** Returns the names, and all words of the definitions that they lead to. */
function reach(definitions: readonly string[], names: readonly string[]): ReadonlySet<string> {
  const words = new Map<string, string[]>();
  for (const definition of definitions) {
    const code = definition.replace(/"""[\s\S]*?"""|#.*/g, '');
    words.set(definedName(definition), [...(words.get(definedName(definition)) ?? []), ...(code.match(/\w+/g) ?? [])]);
  }
  const reached = new Set(names);
  // A set yields what is added while it is read.
  for (const name of reached) for (const word of words.get(name) ?? []) reached.add(word);
  return reached;
}

function definedName(definition: string): string {
  return DEFINITION.exec(definition)?.[1] ?? '';
}

/** Returns one line for each imported module, with the names that are reached. */
function mergeImports(imports: readonly string[], reached: ReadonlySet<string>): string {
  const namesOf = new Map<string, Set<string>>();
  for (const statement of imports) {
    const [, module = '', names = ''] = IMPORT.exec(statement) ?? [];
    const used = names.split(', ').filter((name) => reached.has(name) || module === '__future__');
    namesOf.set(module, new Set([...(namesOf.get(module) ?? []), ...used]));
  }
  const lines = [...namesOf].flatMap(([module, names]) => {
    const sorted = [...names].sort();
    if (module === '') return sorted.map((name) => `import ${name}`);
    return sorted.length > 0 ? [`from ${module} import ${sorted.join(', ')}`] : [];
  });
  return `${lines.join('\n')}\n\n\n`;
}
