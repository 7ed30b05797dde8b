import { routes } from '../routes.ts'
import { Session, SessionList, SessionQuery } from '../sessions.ts'
import { type Operation, reading } from './operation.ts'

export const sessionsOperations = {
  listSessions: {
    ...routes.listSessions,
    tag: 'Sessions',
    summary: 'List sessions',
    description: 'The last active first, unless `sort` and `order` say otherwise.',
    scopes: reading,
    query: SessionQuery,
    response: SessionList,
  },
  getSession: {
    ...routes.getSession,
    tag: 'Sessions',
    summary: 'Get a session',
    description: 'Its steps are `GET /v1/requests?session=ID`.',
    scopes: reading,
    response: Session,
  },
} as const satisfies Record<string, Operation>
