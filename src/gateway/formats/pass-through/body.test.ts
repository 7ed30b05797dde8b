import { expect, test } from 'vitest'
import { readBoundary, readForm, replacePart } from './body.ts'

async function encode(form: FormData): Promise<{ body: Buffer; boundary: string }> {
  const request = new Request('http://x', { method: 'POST', body: form })
  const boundary = readBoundary(request.headers.get('content-type') ?? undefined)
  return { body: Buffer.from(await request.arrayBuffer()), boundary: boundary ?? '' }
}

const bytes = Buffer.from([0, 13, 10, 45, 45, 255, 13, 10, 13, 10])

async function example() {
  const form = new FormData()
  form.set('model', 'a')
  form.set('prompt', 'Grüezi\nall')
  form.set('file', new File([bytes], 'a "b".wav', { type: 'audio/wav' }))
  form.append('include[]', 'x')
  form.append('include[]', '')
  return encode(form)
}

test('reads fields and files as they are', async () => {
  const { body, boundary } = await example()
  expect(readForm(body, boundary)?.map(({ name, filename, content }) => [name, filename, content])).toEqual([
    ['model', null, Buffer.from('a')],
    ['prompt', null, Buffer.from('Grüezi\r\nall')],
    ['file', expect.any(String), bytes],
    ['include[]', null, Buffer.from('x')],
    ['include[]', null, Buffer.from('')],
  ])
})

test('changes one field and nothing else', async () => {
  const { body, boundary } = await example()
  const [model] = readForm(body, boundary) ?? []
  if (!model) throw new Error('no part')
  const changed = replacePart(body, model, 'whisper-9')
  const [, ...others] = readForm(body, boundary) ?? []
  const [renamed, ...same] = readForm(changed, boundary) ?? []
  expect(renamed?.content.toString()).toBe('whisper-9')
  expect(same.map(({ content }) => content)).toEqual(others.map(({ content }) => content))
  expect(changed.byteLength).toBe(body.byteLength + 8)
})

test('rejects what is damaged, at every length', async () => {
  const { body, boundary } = await example()
  for (let length = 0; length < body.byteLength - 4; length += 1)
    expect(readForm(body.subarray(0, length), boundary)).toBeNull()
  expect(readForm(body, 'other')).toBeNull()
})

test('reads the boundary of a form only', () => {
  expect(readBoundary('multipart/form-data; boundary=abc')).toBe('abc')
  expect(readBoundary('Multipart/Form-Data; charset=utf-8; boundary="a b"')).toBe('a b')
  for (const type of [
    undefined,
    'application/json',
    'multipart/form-data',
    'multipart/mixed; boundary=a',
    'multipart/form-data; boundary=a"b',
  ])
    expect(readBoundary(type)).toBeNull()
})

test.each([
  [
    'text before the first boundary',
    'x--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b--\r\n',
  ],
  ['a boundary that goes on', '--bx\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b--\r\n'],
  [
    'a part within the headers of another',
    '--b\r\nContent-Disposition: form-data; name="a"\r\n--b\r\nContent-Disposition: form-data; name="c"\r\n\r\n1\r\n--b--\r\n',
  ],
  [
    'two names in one part',
    '--b\r\nContent-Disposition: form-data; name="a"; name="c"\r\n\r\n1\r\n--b--\r\n',
  ],
  [
    'two dispositions in one part',
    '--b\r\nContent-Disposition: form-data; name="a"\r\nContent-Disposition: form-data; name="c"\r\n\r\n1\r\n--b--\r\n',
  ],
  ['text after the last boundary', '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b--x\r\n'],
  [
    'a name in another encoding',
    '--b\r\nContent-Disposition: form-data; name="a"; name*=utf-8\'\'c\r\n\r\n1\r\n--b--\r\n',
  ],
])('rejects what parsers read differently: %s', (_, body) => {
  expect(readForm(Buffer.from(body), 'b')).toBeNull()
})

test('accepts white space after a boundary, and parameters in any order', () => {
  const body =
    '--b \t\r\nContent-Type: text/plain\r\nContent-Disposition: form-data; filename="; name=c"; name=a\r\n\r\n1\r\n--b--'
  expect(readForm(Buffer.from(body), 'b')).toMatchObject([{ name: 'a', filename: '; name=c' }])
})
