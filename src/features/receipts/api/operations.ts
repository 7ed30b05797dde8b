import { describeOperations, reading } from '../../../shared/api/operations/operation.ts'
import { Receipt, ReceiptQuery, SumReceipt, SumReceiptQuery } from './receipts.ts'
import { receiptRoutes } from './terms.ts'

export const receiptOperations = describeOperations(receiptRoutes, { tag: 'Receipts', scopes: reading })({
  getReceipt: {
    summary: 'Get the receipt of a request',
    description: 'It can be shown to somebody else: it has no prompt, no answer, and names only on request.',
    query: ReceiptQuery,
    response: Receipt,
  },
  getSumReceipt: {
    summary: 'Get the receipt of a session or a month',
    description:
      'What was charged by model and provider. Set `session` or `month`, or neither for the current month.',
    query: SumReceiptQuery,
    response: SumReceipt,
  },
})
