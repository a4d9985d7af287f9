/**
 * The words of the forms, for people: a label, where the name of the field is not one, and a hint. The contract's
 * prose is for programmers; a field that has no words here shows it, so that no field is without.
 */
export const FORM_WORDS: Readonly<
  Record<string, { readonly label?: string; readonly hint: string }>
> = {
  name: { hint: 'Letters, digits, `_` `.` and `-`. Programs and addresses use it.' },
  'skill.type': {
    hint: '`model` predicts, `sql` reads a database, `knowledge_base` and `retrieval` search documents, `mcp` calls a server. Any other is data for your programs.',
  },
  'skill.params': { hint: 'All settings as JSON. Keys of your own may be added.' },
  'skill.params.model': { hint: 'It answers with its prediction and how sure it is.' },
  'skill.params.version': { hint: 'Choose one to keep it when a newer one serves.' },
  'skill.params.description': {
    hint: 'Tells agents when to use it, such as “Estimates the rent of a flat”.',
  },
  'skill.params.database': {
    hint: 'Its name in the settings of the service. Ask the people who run it.',
  },
  'skill.params.tables': { hint: 'What agents may read, with commas between the names.' },
  'skill.params.server': {
    hint: 'Its name in the settings of the service. Ask the people who run it.',
  },
  'skill.params.tools': { hint: 'What agents may call, with commas between the names.' },
  'skill.params.source': { hint: 'What the documents are about, such as “Care of diamonds”.' },
  'agent.model_name': {
    label: 'Language model',
    hint: 'Leave it empty for the usual one of the service.',
  },
  'agent.provider': { hint: 'Whose language model it is. A note for people.' },
  'agent.prompt_template': {
    label: 'Instructions',
    hint: 'What the agent is for, and how it answers. `{{question}}` stands for the question.',
  },
  'agent.model': {
    label: 'Language model as JSON',
    hint: 'For programs of earlier versions. No secrets, such as API keys.',
  },
  'agent.data': {
    hint: 'Tables and documents by name, for your programs. No secrets, such as API keys.',
  },
  'agent.settings': { hint: 'Keys of your own, as JSON.' },
  'chatbot.model_name': {
    label: 'Language model',
    hint: 'Only for a chatbot without an agent.',
  },
  'chatbot.database_name': {
    label: 'Connection',
    hint: 'Where people meet the chatbot, such as a messenger. A note for your programs.',
  },
  'chatbot.settings': { hint: 'All settings as JSON. Keys of your own may be added.' },
  'chatbot.settings.greeting': { hint: 'The first message of each conversation.' },
  'chatbot.settings.instructions': { hint: 'Added to those of the agent.' },
  'chatbot.settings.history': {
    hint: 'How many earlier messages go with each question; 20 if empty.',
  },
};
