// What each step of a session did, from its stored answer.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ResponseOf } from '../../shared/api/operations.ts'
import type { SessionStep } from '../../shared/api/sessions.ts'
import { isObject, type JsonObject, parseJson } from '../formats/json/json.ts'
import { callerText } from '../platform/ids.ts'
import type { StoredAnswer } from '../store/store.ts'
import type { GatewayServices } from './services.ts'
import { findFormat, readAnswer } from './stored-chat.ts'

const MAX_STEPS = 300
const MAX_TOOLS = 20
const MAX_LENGTH = 120
/** Answers are read in turns with other work of this thread. */
const AT_A_TIME = 10

/** Throws 404. */
export async function listSessionSteps(
  id: string,
  { sessionLog }: GatewayServices,
): Promise<ResponseOf<'listSessionSteps'>> {
  const answers = await sessionLog.listAnswers(id, MAX_STEPS)
  const data: SessionStep[] = []
  for (const [index, answer] of answers.entries()) {
    if (index % AT_A_TIME === 0) await nextTurn()
    const step = readStep(answer)
    if (step) data.push(step)
  }
  return { data }
}

/** Null for an answer without text and tools. */
function readStep({ requestId, endpoint, response }: StoredAnswer): SessionStep | null {
  const format = findFormat(endpoint)
  const [message] = format ? readAnswer(response, format).answers : []
  if (!message) return null
  const { content, tool_calls: calls = [] }: JsonObject = message
  const text = typeof content === 'string' ? shorten(content) : ''
  const called = Array.isArray(calls) ? calls.filter(isObject).slice(0, MAX_TOOLS) : []
  const tools = called.map(({ function: its }) => {
    const { name, arguments: given }: JsonObject = isObject(its) ? its : {}
    return { name: shorten(name), argument: findMain(typeof given === 'string' ? parseJson(given) : given) }
  })
  return text === '' && tools.length === 0 ? null : { requestId, text, tools }
}

/** The names that agents use for the main argument of a tool, the most telling first. */
const MAIN = [
  'command',
  'cmd',
  'file_path',
  'filePath',
  'path',
  'pattern',
  'query',
  'url',
  'description',
  'prompt',
]

/** The main argument: of a command in words, the last one is the script of a shell. */
function findMain(given: unknown): string {
  if (!isObject(given)) return shorten(given)
  const name = MAIN.find((each) => given[each] !== undefined) ?? Object.keys(given)[0]
  const value = name === undefined ? '' : given[name]
  return shorten(Array.isArray(value) ? value.filter((word) => typeof word === 'string').join(' ') : value)
}

function shorten(text: unknown): string {
  if (typeof text !== 'string') return ''
  const words = text
    .slice(0, 4 * MAX_LENGTH)
    .replaceAll(/\s+/g, ' ')
    .trim()
  return callerText(words.length <= MAX_LENGTH ? words : `${words.slice(0, MAX_LENGTH - 1)}…`, MAX_LENGTH)
}
