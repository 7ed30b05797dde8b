// The operations by which the owner changes keys, limits and pauses.
import type { Action } from './plan.ts'

interface Operation {
  method: string
  path: string
  body?: object
}

/** The operation of an action; null for one that is none. `keyId`: the key that it names. */
export function findOperation(action: Action, keyId: (key: number) => string): Operation | null {
  switch (action.kind) {
    case 'cap':
      return patchKey(keyId(action.key), { spendLimitUsd: action.usd })
    case 'limits':
      return patchKey(keyId(action.key), { spendLimits: action.limits })
    case 'account':
      return { method: 'PATCH', path: '/v1/account', body: { monthlyLimitUsd: action.usd } }
    case 'account-limits':
      return { method: 'PATCH', path: '/v1/account', body: { spendLimits: action.limits } }
    case 'pause':
      return post(`/v1/keys/${keyId(action.key)}/pause`, { running: action.running })
    case 'resume':
      return post(`/v1/keys/${keyId(action.key)}/resume`)
    case 'pause-all':
      return post('/v1/pause', { running: action.running })
    case 'resume-all':
      return post('/v1/resume')
    default:
      return null
  }
}

const patchKey = (id: string, body: object): Operation => ({ method: 'PATCH', path: `/v1/keys/${id}`, body })
const post = (path: string, body?: object): Operation => ({ method: 'POST', path, ...(body && { body }) })
