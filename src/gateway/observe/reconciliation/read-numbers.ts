// Numbers as programs and spreadsheets of different countries write them.

/** 10⁻¹⁵ USD: costs are added exactly, however many decimals an export has. */
export const FEMTO_PER_NANO = 1_000_000n
const FEMTO_PLACES = 15
const CENT_PLACES = 2
const MAX_LENGTH = 60
/** `$1,234.50`, `1.234,50`, `0,0123`, `1e-05`, `-3`, `12 USD`. */
const NUMBER = /^(-)?\s*(?:US\$|\$)?\s*(-)?((?:\d|[.,\s\u00a0'’])+)(?:e([+-]?\d{1,2}))?\s*(?:USD)?$/i

export type DecimalMark = '.' | ','

export interface Amount {
  femto: bigint
  /** Half of what its last digit stands for, at most half a cent. */
  error: bigint
}

/** The mark that the numbers of a column have; null if some have one and some the other. */
export function findDecimalMark(cells: Iterable<string>): DecimalMark | null {
  const found = new Set<DecimalMark>()
  for (const cell of cells) {
    const mark = markOf(cell)
    if (mark) found.add(mark)
  }
  if (found.size > 1) return null
  return [...found][0] ?? '.'
}

/** The decimal mark that a number shows; undefined where it could also separate thousands. */
function markOf(cell: string): DecimalMark | undefined {
  const point = cell.lastIndexOf('.')
  const comma = cell.lastIndexOf(',')
  if (point < 0 && comma < 0) return undefined
  if (point >= 0 && comma >= 0) return point > comma ? '.' : ','
  const mark = point >= 0 ? '.' : ','
  const thousands = point >= 0 ? /^\D*[1-9]\d{0,2}(\.\d{3})+\D*$/ : /^\D*[1-9]\d{0,2}(,\d{3})+\D*$/
  return thousands.test(cell) ? undefined : mark
}

/** Null for what is no number. */
export function readAmount(text: string, mark: DecimalMark): Amount | null {
  const parts = readDigits(text, mark)
  if (!parts) return null
  const { negative, whole, decimals, exponent } = parts
  const places = decimals.length - exponent
  const digits = BigInt(whole + decimals)
  const shift = FEMTO_PLACES - places
  if (shift < -40 || shift > 40) return null
  const size = shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift)
  const errorPlaces = Math.max(places, CENT_PLACES)
  const error = errorPlaces > FEMTO_PLACES ? 0n : 10n ** BigInt(FEMTO_PLACES - errorPlaces) / 2n
  return { femto: negative ? -size : size, error }
}

/** A count of tokens or requests. Some exports write them with a decimal zero. Null for what is none. */
export function readCount(text: string, mark: DecimalMark): number | null {
  const amount = readAmount(text, mark)
  if (!amount || amount.femto < 0n) return null
  const unit = 10n ** BigInt(FEMTO_PLACES)
  const count = amount.femto / unit
  return amount.femto % unit === 0n && count <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(count) : null
}

function readDigits(text: string, mark: DecimalMark) {
  // Of a long text, the pattern would take for ever.
  const match = text.length > MAX_LENGTH ? null : NUMBER.exec(text)
  if (!match) return null
  const [, sign, innerSign, body = '', exponent = '0'] = match
  const plain = body.replace(/[\s\u00a0'’]/g, '')
  const other = mark === '.' ? ',' : '.'
  const [whole = '', decimals = '', ...more] = plain.split(mark)
  const isGrouped = whole.includes(other) ? isThousands(whole, other) : /^\d*$/.test(whole)
  if (more.length > 0 || !isGrouped || !/^\d*$/.test(decimals) || whole + decimals === '') return null
  return {
    negative: sign !== undefined || innerSign !== undefined,
    whole: whole.replaceAll(other, ''),
    decimals,
    exponent: Number(exponent),
  }
}

function isThousands(text: string, separator: string): boolean {
  const [first = '', ...groups] = text.split(separator)
  return /^\d{1,3}$/.test(first) && groups.every((group) => /^\d{3}$/.test(group))
}
