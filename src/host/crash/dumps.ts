// Dumps of native crashes in the data dir, which Chromium's crash handler writes while the app goes on or starts again.
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { crashDir } from './write-report.ts'

export function dumpDir(dataDir: string): string {
  return join(crashDir(dataDir), 'dumps')
}

/**
 * Describes the newest dump, and removes all: a dump contains memory, in which there may be prompts and secrets. Never throws:
 * the crash handler may move or hold a file meanwhile, and what is left is removed the next time.
 */
export function takeDumps(dataDir: string): string | null {
  let newest: string | null = null
  for (const { path } of findDumps(dumpDir(dataDir))) {
    newest ??= attempt(() => describeDump(readFileSync(path)))
    attempt(() => rmSync(path, { force: true }))
  }
  return newest
}

/** Newest first. */
function findDumps(dir: string): { path: string; modifiedMs: number }[] {
  const names = attempt(() => readdirSync(dir, { recursive: true, encoding: 'utf8' })) ?? []
  return names
    .filter((name) => name.endsWith('.dmp'))
    .map((name) => join(dir, name))
    .map((path) => ({ path, modifiedMs: attempt(() => statSync(path).mtimeMs) ?? 0 }))
    .toSorted((a, b) => b.modifiedMs - a.modifiedMs)
}

function attempt<T>(action: () => T): T | null {
  try {
    return action()
  } catch {
    return null
  }
}

// The content of a crash dump without its memory; https://learn.microsoft.com/windows/win32/api/minidumpapiset.

const SIGNATURE = 0x504d444d
const MODULES = 4
const EXCEPTION = 6
const MODULE_BYTES = 108

interface Stream {
  type: number
  at: number
}

/** The signal or exception, and the module in which it occurred. Null for a file that is no dump. */
export function describeDump(dump: Buffer): string | null {
  try {
    if (dump.readUInt32LE(0) !== SIGNATURE) return null
    const streams = readStreams(dump)
    const exception = streams.find(({ type }) => type === EXCEPTION)
    if (!exception) return null
    const code = dump.readUInt32LE(exception.at + 8)
    const address = readInstruction(dump, exception) ?? dump.readBigUInt64LE(exception.at + 24)
    return `${getName(code)} in ${findModule(dump, streams, address) ?? 'an unknown module'}`
  } catch {
    return null
  }
}

function readStreams(dump: Buffer): Stream[] {
  const [count, directory] = [dump.readUInt32LE(8), dump.readUInt32LE(12)]
  return Array.from({ length: Math.min(count, 100) }, (_, index) => {
    const at = directory + 12 * index
    return { type: dump.readUInt32LE(at), at: dump.readUInt32LE(at + 8) }
  })
}

/**
 * Where the program was. The address of the exception may be that of the memory that could not be read. The layouts of the
 * registers are those of Breakpad: https://chromium.googlesource.com/breakpad/breakpad, minidump_cpu_amd64.h and minidump_cpu_arm64.h.
 */
function readInstruction(dump: Buffer, exception: Stream): bigint | null {
  const offset = { x64: 0xf8, arm64: 0x108 }[process.arch === 'arm64' ? 'arm64' : 'x64']
  const [size, registers] = [dump.readUInt32LE(exception.at + 160), dump.readUInt32LE(exception.at + 164)]
  return size < offset + 8 ? null : dump.readBigUInt64LE(registers + offset)
}

function getName(code: number): string {
  const signal = Object.entries(constants.signals).find(([, number]) => number === code)?.[0]
  return process.platform === 'linux' && signal !== undefined
    ? signal
    : `exception 0x${code.toString(16).padStart(8, '0')}`
}

/** The file name of the module with the address, and the offset in it. */
function findModule(dump: Buffer, streams: readonly Stream[], address: bigint): string | null {
  const list = streams.find(({ type }) => type === MODULES)
  if (!list) return null
  const count = Math.min(dump.readUInt32LE(list.at), 5_000)
  for (let at = list.at + 4, left = count; left > 0; at += MODULE_BYTES, left--) {
    const offset = address - dump.readBigUInt64LE(at)
    if (offset < 0n || offset >= BigInt(dump.readUInt32LE(at + 8))) continue
    const name = dump.readUInt32LE(at + 20)
    const path = dump.toString('utf16le', name + 4, name + 4 + dump.readUInt32LE(name))
    return `${path.split(/[\\/]/).at(-1)} + 0x${offset.toString(16)}`
  }
  return null
}
