import {
  HistoryImport,
  HistoryState,
  ImportedSessionList,
  ImportedSessionQuery,
  RemovedHistory,
  RemoveHistoryQuery,
} from '../history.ts'
import { routes } from '../routes.ts'
import { admin, type Operation, reading } from './operation.ts'

export const historyOperations = {
  getHistory: {
    ...routes.getHistory,
    tag: 'History',
    summary: 'Get what was imported from the logs of agents',
    description: 'With the progress of an import that is running. Its amounts are in no limit and no total.',
    scopes: reading,
    response: HistoryState,
  },
  listImportedSessions: {
    ...routes.listImportedSessions,
    tag: 'History',
    summary: 'List the sessions of agents that were imported',
    description: 'The last one first.',
    scopes: reading,
    query: ImportedSessionQuery,
    response: ImportedSessionList,
  },
  importHistory: {
    ...routes.importHistory,
    tag: 'History',
    summary: 'Import what agents on this computer have used',
    description:
      'Starts to read their logs. Token counts, models, times, ids, and names of folders and branches are stored; prompts and answers are not. A call that was imported already, or that is a request of this gateway, is not counted again.',
    scopes: admin,
    body: HistoryImport,
    optionalBody: true,
    response: HistoryState,
    errors: [409],
  },
  cancelHistoryImport: {
    ...routes.cancelHistoryImport,
    tag: 'History',
    summary: 'Cancel the import that is running',
    description: 'What it has imported stays, and the next import goes on from there.',
    scopes: admin,
    response: HistoryState,
  },
  removeHistory: {
    ...routes.removeHistory,
    tag: 'History',
    summary: 'Remove what was imported',
    description: 'The logs of the agents stay. It is no longer kept up to date.',
    scopes: admin,
    query: RemoveHistoryQuery,
    response: RemovedHistory,
  },
} as const satisfies Record<string, Operation>
