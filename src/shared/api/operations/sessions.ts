import { GitReport, RecordedGit } from '../git.ts'
import { routes } from '../routes.ts'
import {
  Session,
  SessionFilter,
  SessionList,
  SessionQuery,
  SessionSteps,
  SessionTotals,
} from '../sessions.ts'
import { admin, type Operation, reading } from './operation.ts'

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
  getSessionTotals: {
    ...routes.getSessionTotals,
    tag: 'Sessions',
    summary: 'Get the totals of sessions',
    scopes: reading,
    query: SessionFilter,
    response: SessionTotals,
  },
  getSession: {
    ...routes.getSession,
    tag: 'Sessions',
    summary: 'Get a session',
    description: 'Its steps are `GET /v1/requests?session=ID`.',
    scopes: reading,
    response: Session,
  },
  listSessionSteps: {
    ...routes.listSessionSteps,
    tag: 'Sessions',
    summary: 'List what a session did',
    description: 'From its stored answers; there are none unless prompts and answers are stored.',
    scopes: admin,
    response: SessionSteps,
  },
  recordGit: {
    ...routes.recordGit,
    tag: 'Sessions',
    summary: 'Record the branch of a session',
    description:
      'With the commits and changes of branches in its repository, so that its cost can be divided by branch and commit. `tollgate run` and the hook of Claude Code call it.',
    scopes: admin,
    body: GitReport,
    response: RecordedGit,
  },
} as const satisfies Record<string, Operation>
