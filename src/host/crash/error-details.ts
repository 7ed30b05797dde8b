// The part of an error that goes into a report.
import { homedir } from 'node:os'
import { redactSecrets } from '../../gateway/platform/ids.ts'
import { type SerializedError, serializeError } from '../serialize-error.ts'

const MAX_MESSAGE = 200
const MAX_FRAMES = 20

/** Errors whose messages V8 and the system write. */
const KNOWN = ['TypeError', 'RangeError', 'ReferenceError']

/**
 * The error's name, code and functions, and those of its causes. A message may quote a prompt: of messages that V8 and the
 * system write, what they quote is left out, and of all others everything. The log on this computer has them.
 */
export function describeError(thrown: unknown): string {
  return redactSecrets(formatError(serializeError(thrown))).replaceAll(homedir(), '~')
}

function formatError({ type, code, message, stack, cause }: SerializedError): string {
  const frames = (stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  const isSafe = KNOWN.includes(type) || (code !== undefined && /^E[A-Z]+$/.test(code))
  const head = `${type}${code === undefined ? '' : ` (${code})`}${isSafe ? `: ${withoutQuotes(message)}` : ''}`
  const lines = [head, ...frames.slice(0, MAX_FRAMES)]
  return [...lines, ...(cause ? [`caused by ${formatError(cause)}`] : [])].join('\n')
}

function withoutQuotes(message: string): string {
  const [line = ''] = message.split('\n', 1)
  const text = line.replaceAll(/(["'`“‘«])[\s\S]*?(["'`”’»]|$)/g, '$1…$1').replaceAll(/[{[][\s\S]*$/g, '…')
  return text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}…` : text
}
