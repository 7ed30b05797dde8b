import { ActivityList, ActivityQuery, ActivitySeen, ActivityUnread } from '../activity.ts'
import { routes } from '../routes.ts'
import { admin, type Operation } from './operation.ts'

export const activityOperations = {
  listActivity: {
    ...routes.listActivity,
    tag: 'Activity',
    summary: 'List what happened',
    description:
      'Limits that were reached or changed, pauses, price updates, failing providers, restores and sign-ins of 90 days, at most 10,000, the newest first.',
    scopes: admin,
    query: ActivityQuery,
    response: ActivityList,
  },
  markActivitySeen: {
    ...routes.markActivitySeen,
    tag: 'Activity',
    summary: 'Mark what happened as seen',
    scopes: admin,
    body: ActivitySeen,
    response: ActivityUnread,
  },
} as const satisfies Record<string, Operation>
