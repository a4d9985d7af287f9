/**
 * Reads server-sent events as the service writes them, with LF and `data` alone. It stands for the parser of the
 * client, which also reads what other servers write, and is ten times as large.
 */
export class EventSourceParserStream extends TransformStream<string, { readonly data: string }> {
  constructor() {
    let rest = '';
    super({
      transform(text, controller) {
        const events = (rest + text).split('\n\n');
        rest = events.pop() ?? '';
        for (const event of events) {
          const lines = event.split('\n').filter((line) => line.startsWith('data:'));
          if (lines.length > 0) {
            controller.enqueue({ data: lines.map((line) => line.slice(5)).join('\n') });
          }
        }
      },
    });
  }
}
