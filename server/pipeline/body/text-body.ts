/** A body of text, decoded from UTF-8. */
export class TextBody<MediaType extends string = string> {
  constructor(
    readonly mediaType: MediaType,
    readonly text: string,
  ) {}
}
