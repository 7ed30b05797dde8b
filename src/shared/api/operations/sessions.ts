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
import { admin, describeOperations, reading } from './operation.ts'

export const sessionsOperations = describeOperations(routes, { tag: 'Sessions', scopes: reading })({
  listSessions: {
    summary: 'List sessions',
    description: 'The last active first, unless `sort` and `order` say otherwise.',
    query: SessionQuery,
    response: SessionList,
  },
  getSessionTotals: {
    summary: 'Get the totals of sessions',
    query: SessionFilter,
    response: SessionTotals,
  },
  getSession: {
    summary: 'Get a session',
    description: 'Its steps are `GET /v1/requests?session=ID`.',
    response: Session,
  },
  listSessionSteps: {
    summary: 'List what a session did',
    description: 'From its stored answers; there are none unless prompts and answers are stored.',
    scopes: admin,
    response: SessionSteps,
  },
  recordGit: {
    summary: 'Record the branch of a session',
    description:
      'With the commits and changes of branches in its repository, so that its cost can be divided by branch and commit. `tollgate run` and the hook of Claude Code call it.',
    scopes: admin,
    body: GitReport,
    response: RecordedGit,
  },
})
