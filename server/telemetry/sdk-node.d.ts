/** The part of OpenTelemetry's SDK that is used; its own types exist only where it is installed. */
declare module '@opentelemetry/sdk-node' {
  import type { Attributes } from '@opentelemetry/api';

  interface Resource {
    merge(other: Resource): Resource;
  }

  export const resources: { defaultResource(): Resource; resourceFromAttributes(attributes: Attributes): Resource };

  export class NodeSDK {
    constructor(configuration: { resource: Resource; metricReaders: []; logRecordProcessors: [] });
    start(): void;
    /** Sends the spans that wait. */
    shutdown(): Promise<void>;
  }
}
