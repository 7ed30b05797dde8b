import { expect, it } from 'vitest'
import { countTokens, splitTokens } from './tokens.ts'

it.each(['Hello, wonderful world!', '  a\n\nb  ', 'Grüße aus 東京 🚆🚆', '', '   ', 'x'.repeat(1000), '\n'])(
  'cuts %j into tokens that join to the text, none of them empty',
  (text) => {
    expect(splitTokens(text).join('')).toBe(text)
    expect(splitTokens(text)).not.toContain('')
    expect(countTokens(text)).toBeLessThanOrEqual(Buffer.byteLength(text))
  },
)
