declare module 'virtual:contract-forms' {
  /** A field of a form, as its schema in the contract describes it. */
  export interface FormField {
    readonly type?: string | readonly string[];
    /** The label, where the name is not one. */
    readonly label?: string;
    readonly hint?: string;
    readonly minLength?: number;
    readonly maxLength?: number;
    readonly pattern?: string;
    /** The message for a text that does not fit `pattern`. */
    readonly 'x-roster-message'?: string;
    readonly enum?: readonly string[];
    /** True if an object has keys of the user's own. A change then sends the changed keys alone. */
    readonly additionalProperties?: boolean;
    /** The keys of an object without further ones. */
    readonly keys?: readonly string[];
    readonly minimum?: number;
    /** The members that an object is known to have, beside those of the user's own. */
    readonly members?: Form;
    /** The same, by the content of the field `type`. */
    readonly membersOfType?: Readonly<Record<string, Form>>;
  }

  /** The fields of a resource that can be created, or of an object in one. */
  export interface Form {
    readonly required: readonly string[];
    readonly fields: Readonly<Record<string, FormField>>;
  }

  export const forms: Readonly<Record<'project' | 'skill' | 'agent' | 'chatbot', Form>>;
}
