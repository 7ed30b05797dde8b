// Verifies a receipt without a gateway or a network: all that is needed is in the receipt.
import { verify } from 'node:crypto'
import {
  AnyReceipt,
  RECEIPT_FORMAT,
  RECEIPT_VERSION,
  type Receipt,
  type ReceiptCheck,
  SUM_RECEIPT_FORMAT,
  type SumReceipt,
} from '../../../shared/api/receipts.ts'
import { addNano, scaleNano } from '../../../shared/money/cost-lines.ts'
import { nanoToUsd, nanoUsd } from '../../../shared/money/money.ts'
import { canonicalJson, importPublicKey, thumbprint } from './public-key.ts'

export type ReceiptVerdict = Omit<ReceiptCheck, 'issuedHere'>

export function verifyReceipt(value: Readonly<Record<string, unknown>>): ReceiptVerdict {
  if (value.format !== RECEIPT_FORMAT && value.format !== SUM_RECEIPT_FORMAT)
    return invalid('This is not a receipt of Tollgate.')
  if (value.version !== RECEIPT_VERSION) {
    return invalid(
      `This version of Tollgate reads receipts of version ${RECEIPT_VERSION}, and this one has another. Update Tollgate to verify it.`,
    )
  }
  const parsed = AnyReceipt.safeParse(value)
  if (!parsed.success) {
    const { path } = parsed.error.issues[0] ?? { path: [] }
    return invalid(
      `The receipt was changed or damaged: "${path.map(String).join('.')}" is missing or invalid.`,
    )
  }
  const receipt = parsed.data
  const key = importPublicKey(receipt.issuer.publicKey)
  if (!key || thumbprint(receipt.issuer.publicKey) !== receipt.issuer.id) {
    return invalid('The receipt was changed: its issuer is not that of its public key.')
  }
  const { signature: _, ...signed } = value
  if (!isSigned(signed, key, receipt.signature)) {
    return invalid('The receipt was changed after it was signed, or was signed with another key.')
  }
  const isRight = receipt.format === RECEIPT_FORMAT ? isChargeRight(receipt.cost) : isTotalRight(receipt)
  if (!isRight) return invalid('The lines of the receipt do not add up to its total.')
  return { valid: true, problem: null, issuerId: receipt.issuer.id, receipt }
}

/** The bytes that are signed. Throws a TypeError as `canonicalJson` does. */
export function signedBytes(unsigned: Readonly<Record<string, unknown>>): Buffer {
  return Buffer.from(canonicalJson(unsigned), 'utf8')
}

function isSigned(
  unsigned: Readonly<Record<string, unknown>>,
  key: NonNullable<ReturnType<typeof importPublicKey>>,
  signature: string,
): boolean {
  const bytes = Buffer.from(signature, 'base64url')
  // One signature has one text.
  if (bytes.toString('base64url') !== signature) return false
  try {
    return verify(null, signedBytes(unsigned), key, bytes)
  } catch {
    return false
  }
}

function isTotalRight({ lines, total }: SumReceipt): boolean {
  const requests = lines.reduce((sum, line) => sum + line.requests, 0)
  if (!isSameAmount(total)) return false
  return requests === total.requests && lines.reduce((sum, { nano }) => sum + nano, 0) === total.nano
}

/** Whether USD, which readers are shown, are the nano-dollars, which the lines add up to. */
function isSameAmount({ usd, nano }: Pick<Receipt['cost'], 'usd' | 'nano'>): boolean {
  return usd === (nano === null ? null : nanoToUsd(nanoUsd(nano)))
}

function isChargeRight(cost: Receipt['cost']): boolean {
  if (!isSameAmount(cost)) return false
  if (cost.nano === null) return true
  const isLineRight = cost.lines.every(({ count, perMillionNano, nano }) => {
    if (perMillionNano === null || !Number.isSafeInteger(count)) return nano === null
    return addNano([nano]) === BigInt(count) * BigInt(perMillionNano) * 100n
  })
  const parts = [cost.reportedNano, cost.discount?.nano ?? null, cost.otherNano, cost.roundingNano]
  return isLineRight && addNano([...cost.lines.map(({ nano }) => nano), ...parts]) === scaleNano(cost.nano)
}

function invalid(problem: string): ReceiptVerdict {
  return { valid: false, problem, issuerId: null, receipt: null }
}
