import { type Operation, reading } from '../../../shared/api/operations/operation.ts'
import { CachingQuery, CachingReport } from './caching.ts'
import { promptRoutes } from './terms.ts'

export const promptOperations = {
  getCaching: {
    ...promptRoutes.getCaching,
    tag: 'Usage',
    summary: 'Explain prompts and their caches',
    description:
      'What prompts consist of, what the caches of providers saved, and why they broke. Of requests whose prompts had at least 1,024 tokens.',
    scopes: reading,
    query: CachingQuery,
    response: CachingReport,
  },
} as const satisfies Record<string, Operation>
