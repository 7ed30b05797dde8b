import { Install, Receipt, ReceiptCheck, ReceiptQuery, ReceiptToVerify } from '../receipts.ts'
import { type Operation, reading } from './operation.ts'

export const receiptsOperations = {
  getReceipt: {
    method: 'GET',
    path: '/v1/requests/{id}/receipt',
    tag: 'Receipts',
    summary: 'Get the receipt of a request',
    description: 'Signed by this installation, so that it can be shown to somebody else.',
    scopes: reading,
    query: ReceiptQuery,
    response: Receipt,
  },
  verifyReceipt: {
    method: 'POST',
    path: '/v1/receipts/verify',
    tag: 'Receipts',
    summary: 'Verify a receipt',
    description: 'Of this or another installation. Nothing is stored.',
    scopes: reading,
    body: ReceiptToVerify,
    response: ReceiptCheck,
  },
  getInstall: {
    method: 'GET',
    path: '/v1/install',
    tag: 'Receipts',
    summary: 'Get the public key that signs receipts',
    scopes: reading,
    response: Install,
  },
} as const satisfies Record<string, Operation>
