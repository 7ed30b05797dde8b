import { admin, type Operation, reading } from '../../../shared/api/operations/operation.ts'
import {
  DeletedReconciliation,
  ExportFile,
  ReconcileQuery,
  Reconciliation,
  ReconciliationList,
} from './reconciliations.ts'
import { reconcileRoutes } from './terms.ts'

const ID = 'The id of a comparison (`rec_…`).'

export const reconcileOperations = {
  createReconciliation: {
    ...reconcileRoutes.createReconciliation,
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
    ...reconcileRoutes.listReconciliations,
    tag: 'Reconciliation',
    summary: 'List the stored comparisons',
    scopes: reading,
    response: ReconciliationList,
  },
  getReconciliation: {
    ...reconcileRoutes.getReconciliation,
    idDescription: ID,
    tag: 'Reconciliation',
    summary: 'Get a stored comparison',
    scopes: reading,
    response: Reconciliation,
  },
  settleReconciliation: {
    ...reconcileRoutes.settleReconciliation,
    idDescription: ID,
    tag: 'Reconciliation',
    summary: 'Settle the uncertain charges that an export states',
    description:
      'Each becomes `confirmed` at the cost of the export; caps and totals change by the difference.',
    scopes: admin,
    response: Reconciliation,
  },
  deleteReconciliation: {
    ...reconcileRoutes.deleteReconciliation,
    idDescription: ID,
    tag: 'Reconciliation',
    summary: 'Delete a stored comparison',
    description: 'Charges that it settled stay settled.',
    scopes: admin,
    response: DeletedReconciliation,
  },
} as const satisfies Record<string, Operation>
