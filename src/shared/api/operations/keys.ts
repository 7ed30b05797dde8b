import { CallingKey, KeyCreate, KeyCreated, KeyList, KeyMetadata, KeyPause, KeyUpdate } from '../keys.ts'
import { KeyRehearsal, Rehearsal } from '../rehearsal.ts'
import { routes } from '../routes.ts'
import { admin, anyone, type Operation } from './operation.ts'

export const keysOperations = {
  getCallingKey: {
    ...routes.getCallingKey,
    tag: 'API keys',
    summary: 'Get the calling API key',
    description: 'Returns the key that authenticates this request, and what is left of its spend cap.',
    scopes: anyone,
    response: CallingKey,
  },
  listKeys: {
    ...routes.listKeys,
    tag: 'API keys',
    summary: 'List API keys',
    description: 'Includes revoked keys.',
    scopes: admin,
    response: KeyList,
  },
  createKey: {
    ...routes.createKey,
    tag: 'API keys',
    summary: 'Create an API key',
    description: 'The secret is returned only in this response.',
    scopes: admin,
    body: KeyCreate,
    response: KeyCreated,
    status: 201,
  },
  getKey: {
    ...routes.getKey,
    tag: 'API keys',
    summary: 'Get an API key',
    scopes: admin,
    response: KeyMetadata,
  },
  updateKey: {
    ...routes.updateKey,
    tag: 'API keys',
    summary: 'Update an API key',
    description: 'Changes the name, spend cap or rate limits.',
    scopes: admin,
    body: KeyUpdate,
    response: KeyMetadata,
  },
  rehearseKeyLimits: {
    ...routes.rehearseKeyLimits,
    reads: true,
    tag: 'API keys',
    summary: 'Try spend limits on the past',
    description: 'Returns when these limits would have stopped the key in the last days. Changes nothing.',
    scopes: admin,
    body: KeyRehearsal,
    response: Rehearsal,
  },
  revokeKey: {
    ...routes.revokeKey,
    tag: 'API keys',
    summary: 'Revoke an API key',
    description: 'Takes effect immediately and cannot be undone. Requests in flight are canceled.',
    scopes: admin,
    response: KeyMetadata,
  },
  pauseKey: {
    ...routes.pauseKey,
    tag: 'API keys',
    summary: 'Pause an API key',
    description:
      'From now on, and after a restart too, requests with it to a model are 403 with the code `key_paused`. All else that it may do continues.',
    scopes: admin,
    body: KeyPause,
    optionalBody: true,
    response: KeyMetadata,
  },
  resumeKey: {
    ...routes.resumeKey,
    tag: 'API keys',
    summary: 'Resume an API key',
    scopes: admin,
    response: KeyMetadata,
  },
} as const satisfies Record<string, Operation>
