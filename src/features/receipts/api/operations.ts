import { type Operation, reading } from '../../../shared/api/operations/operation.ts'
import { Receipt, ReceiptQuery, SumReceipt, SumReceiptQuery } from './receipts.ts'
import { receiptRoutes } from './terms.ts'

export const receiptOperations = {
  getReceipt: {
    ...receiptRoutes.getReceipt,
    tag: 'Receipts',
    summary: 'Get the receipt of a request',
    description: 'It can be shown to somebody else: it has no prompt, no answer, and names only on request.',
    scopes: reading,
    query: ReceiptQuery,
    response: Receipt,
  },
  getSumReceipt: {
    ...receiptRoutes.getSumReceipt,
    tag: 'Receipts',
    summary: 'Get the receipt of a session or a month',
    description:
      'What was charged by model and provider. Set `session` or `month`, or neither for the current month.',
    scopes: reading,
    query: SumReceiptQuery,
    response: SumReceipt,
  },
} as const satisfies Record<string, Operation>
