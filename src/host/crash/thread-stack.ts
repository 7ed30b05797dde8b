// The call stack of a thread, read from another thread while it is stuck.
import type { Debugger, Session } from 'node:inspector'
import { homedir } from 'node:os'
import { fileURLToPath } from 'node:url'

/** A thread that runs JavaScript answers immediately; one that waits for the system does not. */
const TIMEOUT_MS = 5_000
const MAX_FRAMES = 30

interface Stack {
  addScript(script: Pick<Debugger.ScriptParsedEventDataType, 'scriptId' | 'url'>): void
  /** The thread has stopped. It must go on immediately. */
  finish(frames: readonly Debugger.CallFrame[]): void
}

/**
 * The functions that the main thread runs, innermost first, in the form of the stack of an error. Empty if it does not stop
 * in time: it may wait for the system. The thread continues immediately. Reads names and places, and no value of a variable.
 */
export function readMainStack(): Promise<string> {
  return readStack((session, { addScript, finish }) => {
    session.on('Debugger.scriptParsed', ({ params }) => addScript(params))
    session.on('Debugger.paused', ({ params }) => finish(params.callFrames))
    session.connectToMainThread()
    session.post('Debugger.enable')
    session.post('Debugger.pause')
  })
}

/** The same of a worker of this thread. */
export function readWorkerStack(threadId: number): Promise<string> {
  return readStack((session, { addScript, finish }) => {
    let calls = 0
    let frames: Debugger.CallFrame[] = []
    const call = (sessionId: string, method: string) => {
      const message = JSON.stringify({ id: ++calls, method })
      session.post('NodeWorker.sendMessageToWorker', { sessionId, message })
    }
    session.on('NodeWorker.attachedToWorker', ({ params: { sessionId, workerInfo } }) => {
      // `workerId` is the number of the session. The title begins with that of the thread.
      if (!workerInfo.title.startsWith(`[worker ${threadId}]`)) return
      call(sessionId, 'Debugger.enable')
      call(sessionId, 'Debugger.pause')
    })
    session.on('NodeWorker.receivedMessageFromWorker', ({ params: { sessionId, message } }) => {
      const { method, params } = JSON.parse(message)
      if (method === 'Debugger.scriptParsed') addScript(params)
      if (method === 'Debugger.paused') {
        frames = params.callFrames
        // Unlike the main thread, a worker stays stopped when its debugger disconnects.
        call(sessionId, 'Debugger.resume')
      }
      if (method === 'Debugger.resumed') finish(frames)
    })
    session.connect()
    session.post('NodeWorker.enable', { waitForDebuggerOnStart: false })
  })
}

async function readStack(start: (session: Session, stack: Stack) => void): Promise<string> {
  const inspector = await import('node:inspector')
  return await new Promise((resolve) => {
    const session = new inspector.Session()
    const files = new Map<string, string>()
    const end = (stack: string) => {
      clearTimeout(timer)
      // This also lets the main thread go on.
      session.disconnect()
      resolve(stack)
    }
    const timer = setTimeout(end, TIMEOUT_MS, '')
    start(session, {
      addScript: ({ scriptId, url }) => files.set(scriptId, url),
      finish: (frames) => end(formatFrames(frames, files)),
    })
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
