// Values that are known to break parsers, validators and arithmetic, and functions that put them into JSON.
import type { Random } from '../../gateway/testing/random.ts'

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

/** Undefined for a text that is not JSON. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const ODD: readonly Json[] = [
  ...[null, true, false, 0, -0, -1, 1.5, 1e6, 1e9, 1e12, 1e15, 2 ** 53, 1e300, -1e300, 5e-324],
  ...['', ' ', '0', '17', '\0', '\u2028', '\ud800', '🦉', '模型', '__proto__', 'constructor', 'NaN'],
  ...['[DONE]', 'stop', 'assistant', 'text'],
  'x'.repeat(300),
  'a\r\nb: c',
  '{"a":1}',
  'data: {}',
  ...[[], {}, [[]], [null], [{}], { type: null }, { toString: 1 }, { length: -1 }],
]

function createNested(depth: number): Json {
  let value: Json = 1
  for (let level = 0; level < depth; level++) value = [value]
  return value
}

function oddValue(random: Random): Json {
  if (random.chance(0.02)) return createNested(random.any([10, 70, 1000, 3000]))
  if (random.chance(0.02)) return 'long '.repeat(random.any([1000, 20_000]))
  return random.any(ODD)
}

/** The value with one part replaced, removed, duplicated or wrapped. */
export function corruptValue(value: Json, random: Random): Json {
  if (typeof value !== 'object' || value === null || random.chance(0.12)) return corruptLeaf(value, random)
  if (Array.isArray(value)) {
    if (value.length === 0) return [oddValue(random)]
    const at = random.below(value.length)
    const item = value[at] ?? null
    if (random.chance(0.1)) return value.toSpliced(at, 1)
    if (random.chance(0.1)) return value.toSpliced(at, 0, item)
    return value.with(at, corruptValue(item, random))
  }
  const names = Object.keys(value)
  const name = names.length === 0 || random.chance(0.05) ? 'surprise' : random.any(names)
  if (random.chance(0.12))
    return Object.fromEntries(Object.entries(value).filter(([other]) => other !== name))
  return { ...value, [name]: corruptValue(value[name] ?? null, random) }
}

/** The value with one member replaced whose name matches `names`, at any depth; unchanged when there is none. */
export function replaceMember(value: Json, names: RegExp, random: Random): Json {
  const paths: (string | number)[][] = []
  const collect = (at: Json, path: (string | number)[]) => {
    if (typeof at !== 'object' || at === null) return
    for (const [name, member] of Object.entries(at)) {
      const here = [...path, Array.isArray(at) ? Number(name) : name]
      if (names.test(name)) paths.push(here)
      collect(member, here)
    }
  }
  collect(value, [])
  return paths.length === 0 ? value : replaceAt(value, random.any(paths), oddValue(random))
}

function replaceAt(value: Json, [step, ...rest]: readonly (string | number)[], by: Json): Json {
  if (step === undefined) return by
  if (Array.isArray(value)) return value.map((item, at) => (at === step ? replaceAt(item, rest, by) : item))
  if (typeof value !== 'object' || value === null) return by
  return { ...value, [step]: replaceAt(value[step] ?? null, rest, by) }
}

function corruptLeaf(value: Json, random: Random): Json {
  switch (random.below(8)) {
    case 0:
      return [value]
    case 1:
      return { value }
    case 2:
      return typeof value === 'number' ? String(value) : typeof value === 'string' ? value + value : null
    default:
      return oddValue(random)
  }
}

/** The JSON text with a duplicate member, the corrupt one first. */
export function duplicateMember(text: string, random: Random): string {
  const members = [...text.matchAll(/"(\w+)"\s*:/g)]
  if (members.length === 0) return text
  const { index, 1: name } = random.any(members)
  return `${text.slice(0, index)}"${name}":${JSON.stringify(oddValue(random))},${text.slice(index)}`
}

/** Bytes damaged in transit. */
export function damageBytes(bytes: Buffer, random: Random): Buffer {
  const at = random.below(bytes.length + 1)
  const insert = (part: Uint8Array | string) =>
    Buffer.concat([bytes.subarray(0, at), Buffer.from(part), bytes.subarray(at)])
  switch (random.below(9)) {
    case 0:
      return bytes.subarray(0, at)
    case 1:
      return Buffer.from(bytes.toString('latin1').replaceAll('\n', '\r\n'), 'latin1')
    case 2:
      return Buffer.from(bytes.toString('latin1').replaceAll('\n', '\r'), 'latin1')
    case 3:
      return insert(Uint8Array.of(0xff, 0xc0, 0x80))
    case 4:
      return insert(Uint8Array.of(random.below(256)))
    case 5:
      return insert(bytes.subarray(at, at + random.below(200)))
    case 6:
      return Buffer.concat([Buffer.from('\uFEFF'), bytes])
    case 7:
      return Buffer.concat([
        bytes.subarray(0, at),
        bytes.subarray(Math.min(bytes.length, at + random.below(40))),
      ])
    default:
      return insert(
        random.any(['\0', '\n\n', '\r', ': comment\n\n', 'data: \n\n', '{', '"', 'event: error\n']),
      )
  }
}

/** A part of a body in the chunked transfer coding. */
export function frameChunk(part: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')])
}
