import { expect, test } from 'vitest'
import { NotHttp, ResponseReader } from './http-responses.ts'

const sized = 'HTTP/1.1 200 OK\r\nX-A: 1\r\nContent-Length: 5\r\n\r\nhello'
const chunked =
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\nX-Cost: 1\r\n\r\n'

test('responses are read one after the other, however their bytes are split', () => {
  const bytes = Buffer.from(sized + chunked + sized)
  for (let at = 1; at < bytes.length; at++) {
    const reader = new ResponseReader()
    const bodies: string[] = []
    for (const part of [bytes.subarray(0, at), bytes.subarray(at)]) {
      reader.push(part)
      for (let one = reader.next(false, false); one; one = reader.next(false, false)) bodies.push(one.body)
    }
    expect(bodies).toEqual(['hello', 'hello world', 'hello'])
    expect(reader.hasUnread).toBe(false)
  }
})

test('the response to HEAD has no body, even with a Content-Length', () => {
  const reader = new ResponseReader()
  reader.push(Buffer.from('HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\n\r\n'))
  expect(reader.next(true, false)).toMatchObject({ status: 404, body: '' })
})

test('a body without a length ends with the connection', () => {
  const reader = new ResponseReader()
  reader.push(Buffer.from('HTTP/1.1 200 OK\r\n\r\nall of it'))
  expect(reader.next(false, false)).toBeNull()
  expect(reader.next(false, true)).toMatchObject({ body: 'all of it' })
})

test.each(['HTTP/1.1 OK\r\n\r\n', 'hello\r\n\r\n', 'HTTP/1.1 200 OK\r\nno header\r\n\r\n'])(
  'bytes that are not a response are an error: %j',
  (text) => {
    const reader = new ResponseReader()
    reader.push(Buffer.from(text))
    expect(() => reader.next(false, false)).toThrow(NotHttp)
  },
)
