import { REPRICING_FILTERS, type RepricingFilter } from './use-repricing.ts'

/** The replay that the address names. */
export interface ReplayAddress {
  /** The ids of the requests. */
  requests: readonly string[]
  /** Empty for none yet. */
  models: readonly [string, string]
  /** The key that pays; null for the playground's. */
  keyId: string | null
  /** Which stored requests are offered. */
  filter: RepricingFilter
}

export function readReplayAddress(search: URLSearchParams): ReplayAddress {
  const [first = '', second = ''] = search.getAll('on')
  const filter: RepricingFilter = {}
  for (const name of REPRICING_FILTERS) {
    const value = search.get(name)
    if (value !== null) filter[name] = value
  }
  return { requests: search.getAll('request'), models: [first, second], keyId: search.get('pays'), filter }
}

export function writeReplayAddress({ requests, models, keyId, filter }: ReplayAddress): string {
  const search = new URLSearchParams({ view: 'replay', ...filter })
  for (const id of requests) search.append('request', id)
  for (const model of models) search.append('on', model)
  if (keyId !== null) search.set('pays', keyId)
  return `/estimator?${search}`
}
