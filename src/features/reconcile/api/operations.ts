import { admin, describeOperations, reading } from '../../../shared/api/operations/operation.ts'
import {
  DeletedReconciliation,
  ExportFile,
  ReconcileQuery,
  Reconciliation,
  ReconciliationList,
} from './reconciliations.ts'
import { reconcileRoutes } from './terms.ts'

const ID = 'The id of a comparison (`rec_…`).'

export const reconcileOperations = describeOperations(reconcileRoutes, {
  tag: 'Reconciliation',
  scopes: admin,
})({
  createReconciliation: {
    summary: "Compare a provider's export with the request log",
    description: 'The body is the file. The comparison is stored, the file is not.',
    query: ReconcileQuery,
    response: Reconciliation,
    status: 201,
    file: 'body',
    fileContent: { types: ['text/csv', 'application/json', 'application/octet-stream'], schema: ExportFile },
  },
  listReconciliations: {
    summary: 'List the stored comparisons',
    scopes: reading,
    response: ReconciliationList,
  },
  getReconciliation: {
    idDescription: ID,
    summary: 'Get a stored comparison',
    scopes: reading,
    response: Reconciliation,
  },
  settleReconciliation: {
    idDescription: ID,
    summary: 'Settle the uncertain charges that an export states',
    description:
      'Each becomes `confirmed` at the cost of the export; caps and totals change by the difference.',
    response: Reconciliation,
  },
  deleteReconciliation: {
    idDescription: ID,
    summary: 'Delete a stored comparison',
    description: 'Charges that it settled stay settled.',
    response: DeletedReconciliation,
  },
})
