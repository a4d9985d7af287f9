declare module 'virtual:contract-forms' {
  /** A field of a form, as its schema in the contract describes it. */
  export interface FormField {
    readonly type?: string | readonly string[];
    readonly description?: string;
    readonly minLength?: number;
    readonly maxLength?: number;
    readonly pattern?: string;
    readonly enum?: readonly string[];
    readonly deprecated?: boolean;
  }

  /** The schema of a resource that can be created. */
  export interface Form {
    readonly required: readonly string[];
    readonly fields: Readonly<Record<string, FormField>>;
  }

  export const forms: Readonly<Record<'project' | 'skill' | 'agent' | 'chatbot', Form>>;
}
