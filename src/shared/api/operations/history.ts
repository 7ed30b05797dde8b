import {
  HistoryImport,
  HistoryState,
  ImportedSessionList,
  ImportedSessionQuery,
  RemovedHistory,
  RemoveHistoryQuery,
} from '../history.ts'
import { routes } from '../routes.ts'
import { admin, describeOperations, reading } from './operation.ts'

export const historyOperations = describeOperations(routes, { tag: 'History', scopes: admin })({
  getHistory: {
    summary: 'Get what was imported from the logs of agents',
    description: 'With the progress of an import that is running. Its amounts are in no limit and no total.',
    scopes: reading,
    response: HistoryState,
  },
  listImportedSessions: {
    summary: 'List the sessions of agents that were imported',
    description: 'The last one first.',
    scopes: reading,
    query: ImportedSessionQuery,
    response: ImportedSessionList,
  },
  importHistory: {
    summary: 'Import what agents on this computer have used',
    description:
      'Starts to read their logs. Token counts, models, times, ids, and names of folders and branches are stored; prompts and answers are not. A call that was imported already, or that is a request of this gateway, is not counted again.',
    body: HistoryImport,
    optionalBody: true,
    response: HistoryState,
    errors: [409],
  },
  cancelHistoryImport: {
    summary: 'Cancel the import that is running',
    description: 'What it has imported stays, and the next import goes on from there.',
    response: HistoryState,
  },
  removeHistory: {
    summary: 'Remove what was imported',
    description: 'The logs of the agents stay. It is no longer kept up to date.',
    query: RemoveHistoryQuery,
    response: RemovedHistory,
  },
})
