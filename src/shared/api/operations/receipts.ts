import {
  Install,
  Receipt,
  ReceiptCheck,
  ReceiptQuery,
  ReceiptToVerify,
  SumReceipt,
  SumReceiptQuery,
} from '../receipts.ts'
import { routes } from '../routes.ts'
import { type Operation, reading } from './operation.ts'

export const receiptsOperations = {
  getReceipt: {
    ...routes.getReceipt,
    tag: 'Receipts',
    summary: 'Get the receipt of a request',
    description: 'Signed by this installation, so that it can be shown to somebody else.',
    scopes: reading,
    query: ReceiptQuery,
    response: Receipt,
  },
  getSumReceipt: {
    ...routes.getSumReceipt,
    tag: 'Receipts',
    summary: 'Get the receipt of a session or a month',
    description:
      'What was charged by model and provider, signed by this installation. Set `session` or `month`, or neither for the current month.',
    scopes: reading,
    query: SumReceiptQuery,
    response: SumReceipt,
  },
  verifyReceipt: {
    ...routes.verifyReceipt,
    reads: true,
    tag: 'Receipts',
    summary: 'Verify a receipt',
    description: 'Of this or another installation. Nothing is stored.',
    scopes: reading,
    body: ReceiptToVerify,
    response: ReceiptCheck,
  },
  getInstall: {
    ...routes.getInstall,
    tag: 'Receipts',
    summary: 'Get the public key that signs receipts',
    scopes: reading,
    response: Install,
  },
} as const satisfies Record<string, Operation>
