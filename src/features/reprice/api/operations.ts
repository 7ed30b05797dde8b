import { type Operation, reading } from '../../../shared/api/operations/operation.ts'
import { Repricing, RepricingQuery } from './repricing.ts'
import { repriceRoutes } from './terms.ts'

export const repriceOperations = {
  getRepricing: {
    ...repriceRoutes.getRepricing,
    tag: 'Usage',
    summary: 'Price the recorded requests on other models',
    description:
      'What the requests of the log would have cost with each model that could have served them, at the prices of now.',
    scopes: reading,
    query: RepricingQuery,
    response: Repricing,
  },
} as const satisfies Record<string, Operation>
