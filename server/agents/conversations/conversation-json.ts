import type { Selectable } from 'kysely';
import type { components } from '../../../generated/openapi.js';
import type { Database } from '../../store/database/schema.js';
import { jsonWriter } from '../../store/row-json.js';

type Schemas = components['schemas'];

type ConversationRow = Pick<
  Selectable<Database['conversations']>,
  'id' | 'title' | 'messages' | 'created_at' | 'updated_at'
>;

export const writeConversation = jsonWriter<Schemas['Conversation'], ConversationRow>({
  id: 'value',
  title: 'value',
  messages: 'value',
  created_at: 'value',
  updated_at: 'value',
});

export const writeMessage = jsonWriter<Schemas['Message'], Selectable<Database['messages']>>({
  id: 'value',
  role: 'value',
  content: 'value',
  reply_to: 'value',
  steps: { json: 'steps' },
  usage: { json: 'usage' },
  created_at: 'value',
});
