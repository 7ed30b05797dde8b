import { admin, describeOperations } from '../../../shared/api/operations/operation.ts'
import { ExportFile, ReconcileQuery, Reconciliation } from './reconciliations.ts'
import { reconcileRoutes } from './terms.ts'

export const reconcileOperations = describeOperations(reconcileRoutes, {
  tag: 'Reconciliation',
  scopes: admin,
})({
  reconcile: {
    summary: "Compare a provider's export with the request log",
    description:
      'The body is the file, which is not stored. With `settle`, each uncertain charge that the export states becomes `confirmed` at that cost; caps and totals change by the difference.',
    query: ReconcileQuery,
    response: Reconciliation,
    file: 'body',
    fileContent: { types: ['text/csv', 'application/json', 'application/octet-stream'], schema: ExportFile },
  },
})
