export type ParsedUsd = { ok: true; usd: number | null } | { ok: false; message: string }

/** Parses "5", "$5.00", "0.25" or "1,000"; blank is null. Anything else is an error with a message. */
export function parseUsd(text: string): ParsedUsd {
  const bare = text.trim().replace(/^\$\s*/, '')
  if (bare === '') return { ok: true, usd: null }
  const plain = /^\d{1,3}(,\d{3})+(\.\d+)?$/.test(bare) ? bare.replaceAll(',', '') : bare
  if (!/^(\d+\.?\d*|\.\d+)$/.test(plain)) {
    return { ok: false, message: 'Enter an amount in USD, such as 5 or 0.25.' }
  }
  const usd = Number(plain)
  if (usd > 9_000_000) return { ok: false, message: 'Enter at most 9,000,000.' }
  return { ok: true, usd }
}

/** Parses a positive whole number; blank is null. */
export function parseCount(
  text: string,
): { ok: true; count: number | null } | { ok: false; message: string } {
  const bare = text.trim().replaceAll(',', '')
  if (bare === '') return { ok: true, count: null }
  const count = Number(bare)
  if (!/^\d+$/.test(bare) || count < 1 || !Number.isSafeInteger(count)) {
    return { ok: false, message: 'Enter a whole number greater than 0.' }
  }
  return { ok: true, count }
}
