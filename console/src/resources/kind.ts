import type { ComponentChildren } from 'preact';
import type { Agent, Answer, Chatbot, ListCall, Skill } from 'roster-client';
import { href } from '../router/route.js';
import type { Deletion } from '../session/removed.js';
import type { ControlProps } from '../ui/field.js';
import { time } from '../ui/format.js';
import type { Values } from './form/draft.js';

/** A resource of a project that has a name. */
export type Resource = Skill | Agent | Chatbot;

export interface Column<Item> {
  readonly head: string;
  readonly text: (item: Item) => string;
  readonly href?: (item: Item) => string | undefined;
  /** Left out on a phone, and not searched. */
  readonly isMinor?: boolean;
}

/** The column of names, each of which leads to the resource. */
export const nameColumn = (project: string, plural: string): Column<Named> => ({
  head: 'Name',
  text: ({ name }) => name,
  href: ({ name }) => href(['projects', project, plural, name]),
});

export const CHANGED: Column<{ readonly updated_at: string }> = {
  head: 'Changed',
  text: ({ updated_at }) => time(updated_at),
  isMinor: true,
};

export interface Choice {
  readonly label: string;
  /** The plural of the choices, such as "skills". */
  readonly what: string;
  readonly list: (project: string, signal: AbortSignal) => ListCall<Named>;
}

/** A member of a JSON object, for the control that edits it. */
export interface MemberProps {
  readonly control: ControlProps;
  readonly project: string;
  readonly value: unknown;
  /** The whole object. */
  readonly object: Values;
  readonly isBusy: boolean;
  /** Changes members of the object. One that is undefined is removed. */
  readonly onChange: (changes: Values) => void;
}

/** Controls by the names of their fields and members. */
export type MemberControls = Readonly<Record<string, (props: MemberProps) => ComponentChildren>>;

export interface Named {
  readonly id: string;
  readonly name: string;
}

export interface ViewLink {
  readonly href: string;
  readonly text: string;
}

/** One kind of resource: its requests, and what the console says of it. */
export interface Kind<R extends Resource> {
  readonly name: 'skill' | 'agent' | 'chatbot';
  readonly plural: 'skills' | 'agents' | 'chatbots';
  /** The purpose of the kind, in a sentence. */
  readonly purpose: string;
  /** The advice where there is none yet. */
  readonly next: string;
  readonly columns: (project: string) => readonly Column<R>[];
  /** Fields whose content is the name of another resource. */
  readonly choices: Readonly<Record<string, Choice>>;
  /** Controls for members of JSON objects, by field and member, such as `params.model`. */
  readonly memberControls?: MemberControls;
  /** Fields of the body that another field of the form stands for. */
  readonly leftOut: readonly string[];
  /** Returns the address of a resource that a new name does not change: its identifier, where the contract finds it by one. */
  readonly address: (resource: R) => string;
  readonly list: (project: string, signal: AbortSignal) => ListCall<R>;
  readonly get: (project: string, name: string, signal?: AbortSignal) => Promise<Answer<R>>;
  readonly create: (project: string, values: Values) => Promise<Answer<R>>;
  readonly update: (project: string, name: string, etag: string | null, values: Values) => Promise<Answer<R>>;
  readonly remove: (project: string, name: string, etag: string | null) => Deletion;
  readonly views?: (project: string, resource: R) => readonly ViewLink[];
  /** Names the resources that use this one. */
  readonly Users?: (props: { project: string; resource: R }) => ComponentChildren;
  /** Says what a deletion does to others. */
  readonly Consequences: (props: { project: string; resource: R }) => ComponentChildren;
}

/**
 * Takes the values of a form for a body. Form and type are made from the same schema of the
 * contract, which the compiler cannot follow; the service checks each value.
 */
export const toBody = <Body extends object>(values: Values) => values as Body;

/** The header that lets a request change only what was read. */
export const ifMatch = (etag: string | null) => (etag === null ? {} : { 'If-Match': etag });
