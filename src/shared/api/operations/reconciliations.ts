import {
  DeletedReconciliation,
  ExportFile,
  ReconcileQuery,
  Reconciliation,
  ReconciliationList,
} from '../reconciliations.ts'
import { routes } from '../routes.ts'
import { admin, type Operation, reading } from './operation.ts'

export const reconciliationsOperations = {
  createReconciliation: {
    ...routes.createReconciliation,
    tag: 'Reconciliation',
    summary: "Compare a provider's export with the request log",
    description: 'The body is the file. The comparison is stored, the file is not.',
    scopes: admin,
    query: ReconcileQuery,
    response: Reconciliation,
    status: 201,
    file: 'body',
    fileContent: { types: ['text/csv', 'application/json', 'application/octet-stream'], schema: ExportFile },
  },
  listReconciliations: {
    ...routes.listReconciliations,
    tag: 'Reconciliation',
    summary: 'List the stored comparisons',
    scopes: reading,
    response: ReconciliationList,
  },
  getReconciliation: {
    ...routes.getReconciliation,
    tag: 'Reconciliation',
    summary: 'Get a stored comparison',
    scopes: reading,
    response: Reconciliation,
  },
  settleReconciliation: {
    ...routes.settleReconciliation,
    tag: 'Reconciliation',
    summary: 'Settle the uncertain charges that an export states',
    description:
      'Each becomes `confirmed` at the cost of the export; caps and totals change by the difference.',
    scopes: admin,
    response: Reconciliation,
  },
  deleteReconciliation: {
    ...routes.deleteReconciliation,
    tag: 'Reconciliation',
    summary: 'Delete a stored comparison',
    description: 'Charges that it settled stay settled.',
    scopes: admin,
    response: DeletedReconciliation,
  },
} as const satisfies Record<string, Operation>
