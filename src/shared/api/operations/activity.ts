import { ActivityList, ActivityQuery, ActivitySeen, ActivityUnread } from '../activity.ts'
import { routes } from '../routes.ts'
import { admin, describeOperations } from './operation.ts'

export const activityOperations = describeOperations(routes, { tag: 'Activity', scopes: admin })({
  listActivity: {
    summary: 'List what happened',
    description:
      'Limits that were reached or changed, pauses, price updates, failing providers, restores and sign-ins of 90 days, at most 10,000, the newest first.',
    query: ActivityQuery,
    response: ActivityList,
  },
  markActivitySeen: {
    summary: 'Mark what happened as seen',
    body: ActivitySeen,
    response: ActivityUnread,
  },
})
