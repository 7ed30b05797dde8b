import type { Db } from '../engine/statement.ts'
import { sessionsOf } from '../ledger/session-numbers.ts'
import { textsOf } from '../ledger/texts.ts'
import { clientsNamed, clientsWith } from '../sums/client-names.ts'
import type { RequestFilter, StoredFilter } from './request-index.ts'

const NO_SESSION = -1n

/** The filter with the numbers of its texts. */
export function storedFilter(db: Db, filter: RequestFilter): StoredFilter {
  const { keyId, model, provider, tag, session, ...others } = filter
  const texts = textsOf(db)
  const stored: StoredFilter = others
  if (keyId !== undefined) stored.keyId = texts.find(keyId)
  if (model !== undefined) stored.model = texts.find(model)
  if (provider !== undefined) stored.provider = texts.find(provider)
  if (tag !== undefined) stored.tag = tag === '' ? null : texts.find(tag)
  if (session !== undefined) stored.session = sessionsOf(db).find(session) ?? NO_SESSION
  if (others.client) stored.clientsNamed = JSON.stringify(clientsNamed(db, others.client))
  if (others.q) stored.clientsFound = JSON.stringify(clientsWith(db, others.q))
  return stored
}
