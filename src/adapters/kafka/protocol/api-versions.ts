import type { Api } from './api.ts'

/** What a broker speaks: for each api key its lowest and highest version. */
export interface ApiVersionsAnswer {
  readonly errorCode: number
  readonly apis: readonly { readonly key: number; readonly min: number; readonly max: number }[]
}

/**
 * Version 0: every broker answers it, also before it knows who asks.
 *
 *   request  =>
 *   answer   => error_code INT16 [api_key INT16, min_version INT16, max_version INT16]
 */
export const API_VERSIONS: Api<void, ApiVersionsAnswer> = {
  name: 'ApiVersions',
  key: 18,
  version: 0,
  flexible: false,
  encode: () => {},
  decode: (reader) => ({
    errorCode: reader.int16(),
    apis: reader.array(() => ({ key: reader.int16(), min: reader.int16(), max: reader.int16() })),
  }),
}
