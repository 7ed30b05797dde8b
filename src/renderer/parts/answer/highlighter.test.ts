import { expect, test } from 'vitest'
import { createTokenizer, type Lines, type Tokenize } from './highlighter.ts'

const CODE = `/* A comment
   of two lines. */
const price: number = 3 // USD

console.log(\`\${price}\n\`)`

const shape = (lines: Lines) =>
  lines.map((line) => line.map(({ content, htmlStyle }) => [content, htmlStyle]))

async function loadTokenizer(language: string): Promise<Tokenize> {
  const tokenize = await createTokenizer(language)
  if (tokenize === null) throw new Error(`${language} is not highlighted`)
  return tokenize
}

test('tokens contain the code and have a color for each theme', async () => {
  const tokenize = await loadTokenizer('ts')
  const lines = tokenize(CODE)
  expect(lines.map((line) => line.map(({ content }) => content).join('')).join('\n')).toBe(CODE)
  expect(lines[0]?.[0]?.htmlStyle).toEqual({
    color: expect.stringMatching(/^#/),
    '--shiki-dark': expect.stringMatching(/^#/),
  })
})

test('code that grows has the same tokens as the whole code', async () => {
  const whole = await loadTokenizer('ts')
  const growing = await loadTokenizer('typescript')
  for (let end = 1; end < CODE.length; end += 1) growing(CODE.slice(0, end))
  expect(shape(growing(CODE))).toEqual(shape(whole(CODE)))
})

test('code that changed from its start on is tokenized from the start', async () => {
  const whole = await loadTokenizer('ts')
  const changing = await loadTokenizer('ts')
  changing('/* open\n')
  expect(shape(changing(CODE))).toEqual(shape(whole(CODE)))
})

test('a language that contains others is loaded with them', async () => {
  const tokenize = await loadTokenizer('html')
  const colors = new Set(
    tokenize('<script>const a = "b"</script>')
      .flat()
      .map(({ htmlStyle }) => htmlStyle?.color),
  )
  expect(colors.size).toBeGreaterThan(2)
})

test('an unknown language is not highlighted', async () => {
  expect(await createTokenizer('klingon')).toBeNull()
})
