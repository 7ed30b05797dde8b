import { CallingKey, KeyCreate, KeyCreated, KeyList, KeyMetadata, KeyPause, KeyUpdate } from '../keys.ts'
import { routes } from '../routes.ts'
import { admin, anyone, describeOperations } from './operation.ts'

export const keysOperations = describeOperations(routes, { tag: 'API keys', scopes: admin })({
  getCallingKey: {
    summary: 'Get the calling API key',
    description: 'Returns the key that authenticates this request, and what is left of its spend cap.',
    scopes: anyone,
    response: CallingKey,
  },
  listKeys: {
    summary: 'List API keys',
    description: 'Includes revoked keys.',
    response: KeyList,
  },
  createKey: {
    summary: 'Create an API key',
    description: 'The secret is returned only in this response.',
    body: KeyCreate,
    response: KeyCreated,
    status: 201,
  },
  getKey: {
    summary: 'Get an API key',
    response: KeyMetadata,
  },
  updateKey: {
    summary: 'Update an API key',
    description: 'Changes the name, spend cap or rate limits.',
    body: KeyUpdate,
    response: KeyMetadata,
  },
  revokeKey: {
    summary: 'Revoke an API key',
    description: 'Takes effect immediately and cannot be undone. Requests in flight are canceled.',
    response: KeyMetadata,
  },
  pauseKey: {
    summary: 'Pause an API key',
    description:
      'From now on, and after a restart too, requests with it to a model are 403 with the code `key_paused`. All else that it may do continues.',
    body: KeyPause,
    optionalBody: true,
    response: KeyMetadata,
  },
  resumeKey: {
    summary: 'Resume an API key',
    response: KeyMetadata,
  },
})
