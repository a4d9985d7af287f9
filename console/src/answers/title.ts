import type { Conversation } from 'roster-client';
import { time } from '../ui/format.js';

/** Returns the title of a conversation, or the time at which it began. */
export const writeTitle = ({ title, created_at }: Conversation) => title ?? `Conversation of ${time(created_at)}`;
