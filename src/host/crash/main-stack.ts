// The call stack of the main thread, read from another thread while the main thread is stuck.
import type { Debugger } from 'node:inspector'
import { homedir } from 'node:os'
import { fileURLToPath } from 'node:url'

const MAX_FRAMES = 30

/**
 * The functions that the main thread runs, innermost first, in the form of the stack of an error. Empty if it does not stop
 * in time: it may wait for the system. The thread continues immediately. Reads names and places, and no value of a variable.
 */
export async function readMainStack(timeoutMs: number): Promise<string> {
  const { Session } = await import('node:inspector')
  return await new Promise((resolve) => {
    const session = new Session()
    const files = new Map<string, string>()
    const finish = (stack: string) => {
      clearTimeout(timer)
      // This also lets the main thread go on.
      session.disconnect()
      resolve(stack)
    }
    const timer = setTimeout(() => finish(''), timeoutMs)
    session.on('Debugger.scriptParsed', ({ params: { scriptId, url } }) => files.set(scriptId, url))
    session.on('Debugger.paused', ({ params: { callFrames } }) => finish(formatFrames(callFrames, files)))
    session.connectToMainThread()
    session.post('Debugger.enable')
    session.post('Debugger.pause')
  })
}

function formatFrames(frames: readonly Debugger.CallFrame[], files: ReadonlyMap<string, string>): string {
  return frames
    .slice(0, MAX_FRAMES)
    .map(({ functionName, location: { scriptId, lineNumber, columnNumber = 0 } }) => {
      const place = `${getPlace(files.get(scriptId) ?? '')}:${lineNumber + 1}:${columnNumber + 1}`
      return `    at ${functionName === '' ? place : `${functionName} (${place})`}`
    })
    .join('\n')
}

/** The place in a file or in Node's own modules. Other code has an arbitrary name, which is left out. */
function getPlace(url: string): string {
  if (url.startsWith('node:')) return url
  const isFile = url.startsWith('file:') || url.startsWith('/')
  if (!isFile) return '<anonymous>'
  return (url.startsWith('file:') ? fileURLToPath(url) : url).replace(homedir(), '~')
}
