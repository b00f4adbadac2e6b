/** Opens what is read from: Kafka, or the embedded log. */
import { readFileSync } from 'node:fs'
import { EmbeddedLogSource } from '../adapters/embedded/embedded-log-source.ts'
import { KafkaLog } from '../adapters/kafka/kafka-log.ts'
import type { KafkaConfig } from '../adapters/kafka/kafka-config.ts'
import type { KafkaSettings } from '../config.ts'
import { RollupdError } from '../core/errors.ts'
import type { RecordSource } from '../tailer/record-source.ts'

/** Can be cloned, so that each thread opens its own. */
export type SourceSettings =
  | { readonly kind: 'kafka'; readonly config: KafkaConfig }
  | { readonly kind: 'embedded'; readonly path: string; readonly wake: SharedArrayBuffer }

export function openSource(settings: SourceSettings): RecordSource {
  if (settings.kind === 'kafka') return new KafkaLog(settings.config, Date.now)
  return new EmbeddedLogSource({ path: settings.path, wake: settings.wake })
}

/** Reads the files that the configuration names. Errors: config_invalid. */
export function toKafkaConfig({ brokers, client_id, tls, sasl }: KafkaSettings): KafkaConfig {
  return {
    brokers,
    clientId: client_id ?? 'rollupd',
    ...(sasl === undefined ? {} : { sasl }),
    ...(tls === undefined
      ? {}
      : {
          tls: {
            ...readPem('ca', tls.ca_file),
            ...readPem('cert', tls.cert_file),
            ...readPem('key', tls.key_file),
            rejectUnauthorized: tls.verify ?? true,
          },
        }),
  }
}

function readPem<Name extends string>(name: Name, file: string | undefined): Partial<Record<Name, string>> {
  if (file === undefined) return {}
  try {
    return { [name]: readFileSync(file, 'utf8') } as Record<Name, string>
  } catch (cause) {
    throw new RollupdError(
      'config_invalid',
      `option kafka.tls.${name}_file: "${file}" can't be read: ${(cause as Error).message}`,
      { cause },
    )
  }
}
