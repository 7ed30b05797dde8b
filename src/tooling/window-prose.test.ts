import { expect, test } from 'vitest'
import { windowPhrases } from './window-prose.ts'

test.each(windowPhrases)('%s is found', (pattern, _, example) => expect(example).toMatch(pattern))
