// Owns values that parsers, validators and arithmetic have stumbled over elsewhere, and how they get into JSON.
import type { Draw } from '../soak/draw.ts'

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

const ODD: readonly Json[] = [
  ...[null, true, false, 0, -0, -1, 1.5, 1e6, 1e9, 1e12, 1e15, 2 ** 53, 1e300, -1e300, 5e-324],
  ...[
    '',
    ' ',
    '0',
    '17',
    '\0',
    '\u2028',
    '\ud800',
    '🦉',
    '模型',
    '__proto__',
    'constructor',
    'NaN',
    '[DONE]',
  ],
  ...['stop', 'assistant', 'text', 'x'.repeat(300), 'a\r\nb: c', '{"a":1}', 'data: {}'],
  ...[[], {}, [[]], [null], [{}], { type: null }, { toString: 1 }, { length: -1 }],
]

/** An array in an array in an array. */
function nested(depth: number): Json {
  let value: Json = 1
  for (let level = 0; level < depth; level++) value = [value]
  return value
}

function oddValue(draw: Draw): Json {
  if (draw.happens(0.02)) return nested(draw.any([10, 70, 1000, 3000]))
  if (draw.happens(0.02)) return 'long '.repeat(draw.any([1000, 20_000]))
  return draw.any(ODD)
}

/** The value with something wrong somewhere inside: replaced, taken out, doubled, wrapped. */
export function spoilt(value: Json, draw: Draw): Json {
  if (typeof value !== 'object' || value === null || draw.happens(0.12)) return wrong(value, draw)
  if (Array.isArray(value)) {
    if (value.length === 0) return [oddValue(draw)]
    const at = draw.below(value.length)
    const item = value[at] ?? null
    if (draw.happens(0.1)) return value.toSpliced(at, 1)
    if (draw.happens(0.1)) return value.toSpliced(at, 0, item)
    return value.with(at, spoilt(item, draw))
  }
  const names = Object.keys(value)
  const name = names.length === 0 || draw.happens(0.05) ? 'surprise' : draw.any(names)
  if (draw.happens(0.12)) return Object.fromEntries(Object.entries(value).filter(([other]) => other !== name))
  return { ...value, [name]: spoilt(value[name] ?? null, draw) }
}

/** The value with one of its members that `names` fits replaced, wherever it is; the value itself when there is none. */
export function withOddMember(value: Json, names: RegExp, draw: Draw): Json {
  const paths: (string | number)[][] = []
  const look = (at: Json, path: (string | number)[]) => {
    if (typeof at !== 'object' || at === null) return
    for (const [name, member] of Object.entries(at)) {
      const here = [...path, Array.isArray(at) ? Number(name) : name]
      if (names.test(name)) paths.push(here)
      look(member, here)
    }
  }
  look(value, [])
  return paths.length === 0 ? value : replaced(value, draw.any(paths), oddValue(draw))
}

function replaced(value: Json, [step, ...rest]: readonly (string | number)[], by: Json): Json {
  if (step === undefined) return by
  if (Array.isArray(value)) return value.map((item, at) => (at === step ? replaced(item, rest, by) : item))
  if (typeof value !== 'object' || value === null) return by
  return { ...value, [step]: replaced(value[step] ?? null, rest, by) }
}

function wrong(value: Json, draw: Draw): Json {
  switch (draw.below(8)) {
    case 0:
      return [value]
    case 1:
      return { value }
    case 2:
      return typeof value === 'number' ? String(value) : typeof value === 'string' ? value + value : null
    default:
      return oddValue(draw)
  }
}

/** The JSON text with a member that is there twice, the wrong one first. */
export function withDoubledMember(text: string, draw: Draw): string {
  const members = [...text.matchAll(/"(\w+)"\s*:/g)]
  if (members.length === 0) return text
  const { index, 1: name } = draw.any(members)
  return `${text.slice(0, index)}"${name}":${JSON.stringify(oddValue(draw))},${text.slice(index)}`
}

/** Bytes that were damaged on the way. */
export function damaged(bytes: Buffer, draw: Draw): Buffer {
  const at = draw.below(bytes.length + 1)
  const insert = (part: Uint8Array | string) =>
    Buffer.concat([bytes.subarray(0, at), Buffer.from(part), bytes.subarray(at)])
  switch (draw.below(9)) {
    case 0:
      return bytes.subarray(0, at)
    case 1:
      return Buffer.from(bytes.toString('latin1').replaceAll('\n', '\r\n'), 'latin1')
    case 2:
      return Buffer.from(bytes.toString('latin1').replaceAll('\n', '\r'), 'latin1')
    case 3:
      return insert(Uint8Array.of(0xff, 0xc0, 0x80))
    case 4:
      return insert(Uint8Array.of(draw.below(256)))
    case 5:
      return insert(bytes.subarray(at, at + draw.below(200)))
    case 6:
      return Buffer.concat([Buffer.from('\uFEFF'), bytes])
    case 7:
      return Buffer.concat([
        bytes.subarray(0, at),
        bytes.subarray(Math.min(bytes.length, at + draw.below(40))),
      ])
    default:
      return insert(draw.any(['\0', '\n\n', '\r', ': comment\n\n', 'data: \n\n', '{', '"', 'event: error\n']))
  }
}
