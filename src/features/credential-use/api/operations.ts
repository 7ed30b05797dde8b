import { z } from 'zod'
import { admin, type Operation } from '../../../shared/api/operations/operation.ts'
import { Timestamp } from '../../../shared/api/request-queries.ts'
import { CredentialUseList } from './credential-use.ts'
import { credentialUseRoutes } from './terms.ts'

const CredentialUseQuery = z
  .strictObject({ from: Timestamp.optional().describe('30 days ago if it is left out.') })
  .meta({ id: 'CredentialUseQuery' })

export const credentialUseOperations = {
  listCredentialUse: {
    ...credentialUseRoutes.listCredentialUse,
    tag: 'Providers',
    summary: 'List what was spent with each credential',
    description:
      'The credentials of a provider with several: requests, cost and cached tokens, from the requests that are still in the log.',
    scopes: admin,
    query: CredentialUseQuery,
    response: CredentialUseList,
  },
} as const satisfies Record<string, Operation>
