import { expect, test } from 'vitest'
import { embedInSandbox } from './embeddings.ts'

const embed = (body: object) => embedInSandbox('sandbox-embedding', JSON.stringify(body))

test.each([
  ['a long text', { input: 'a,b;c '.repeat(500_000) }],
  ['many words', { input: 'a b '.repeat(100_000) }],
  ['many numbers for each word', { input: 'a b '.repeat(5_000), dimensions: 4_096 }],
  ['many texts', { input: Array.from({ length: 9_000 }, () => 'a'), dimensions: 4_096 }],
])('refuses %s, which would hold all other requests', (_name, body) => {
  expect(() => embed(body)).toThrow(/too many or too long texts/)
})

test('takes as many texts as OpenAI does', () => {
  const input = Array.from({ length: 2_048 }, (_, index) => `text ${index}`)
  expect(JSON.parse(embed({ input }).bytes.toString()).data).toHaveLength(2_048)
})
