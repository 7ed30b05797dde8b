import { expect, test } from 'vitest'
import { describeDump } from './dumps.ts'

/** A dump with a module at 0x1000 and an exception in it, laid out as in minidumpapiset.h. */
function createDump(code: number, address: bigint, instruction: bigint | null = null): Buffer {
  const dump = Buffer.alloc(2_000)
  dump.write('MDMP', 'latin1')
  dump.writeUInt32LE(2, 8)
  dump.writeUInt32LE(32, 12)
  const streams = [
    [4, 112, 100],
    [6, 168, 300],
  ] as const
  for (const [index, stream] of streams.entries())
    for (const [field, value] of stream.entries()) dump.writeUInt32LE(value, 32 + 12 * index + 4 * field)
  dump.writeUInt32LE(1, 100)
  dump.writeBigUInt64LE(0x1000n, 104)
  dump.writeUInt32LE(0x500, 112)
  dump.writeUInt32LE(600, 124)
  const name = Buffer.from('/opt/Tollgate/libffmpeg.so', 'utf16le')
  dump.writeUInt32LE(name.length, 600)
  name.copy(dump, 604)
  dump.writeUInt32LE(code, 308)
  dump.writeBigUInt64LE(address, 324)
  if (instruction === null) return dump
  dump.writeUInt32LE(912, 460)
  dump.writeUInt32LE(1_000, 464)
  dump.writeBigUInt64LE(instruction, 1_000 + (process.arch === 'arm64' ? 0x108 : 0xf8))
  return dump
}

test('reads the signal and the module from a dump', () => {
  const where = 'libffmpeg.so + 0x10'
  const signal = process.platform === 'linux' ? 'SIGSEGV' : 'exception 0x0000000b'
  expect(describeDump(createDump(11, 0x1010n))).toBe(`${signal} in ${where}`)
  expect(describeDump(createDump(0xc0000005, 0x1010n))).toBe(`exception 0xc0000005 in ${where}`)
  expect(describeDump(createDump(11, 0n, 0x1010n))).toBe(`${signal} in ${where}`)
  expect(describeDump(createDump(0xc0000005, 0x9000n))).toMatch(/in an unknown module$/)
})

test('ignores other files and truncated dumps', () => {
  expect(describeDump(Buffer.from('not a dump at all'))).toBeNull()
  expect(describeDump(Buffer.alloc(0))).toBeNull()
  expect(describeDump(createDump(11, 0x1010n).subarray(0, 200))).toBeNull()
})
