import { expect, it } from 'vitest'
import { countTokens, tokensOf } from './tokens.ts'

it.each(['Hello, wonderful world!', '  a\n\nb  ', 'Grüße aus 東京 🚆🚆', '', '   ', 'x'.repeat(1000), '\n'])(
  'cuts %j into tokens that join to the text, none of them empty',
  (text) => {
    expect(tokensOf(text).join('')).toBe(text)
    expect(tokensOf(text)).not.toContain('')
    expect(countTokens(text)).toBeLessThanOrEqual(Buffer.byteLength(text))
  },
)
