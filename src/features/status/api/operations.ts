import { type Operation, reading } from '../../../shared/api/operations/operation.ts'
import { Status } from './status.ts'
import { statusRoutes } from './terms.ts'

export const statusOperations = {
  getStatus: {
    ...statusRoutes.getStatus,
    tag: 'Account',
    summary: 'Get what a status bar shows',
    description: 'Today, what is left of the caps, the windows of plans, and the current session.',
    scopes: reading,
    response: Status,
  },
} as const satisfies Record<string, Operation>
