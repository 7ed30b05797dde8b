// The differences of two stored chats, in the order in which providers cache a prompt: tools first, then messages.
import type { StoredChat } from '../../../shared/api/requests.ts'
import { alignLists, type Pair } from '../../../shared/tools/diff.ts'
import { getText, type JsonObject, toObject, toObjects } from '../../../shared/values/json.ts'

/** A tool or a message. */
export interface Region {
  kind: 'tool' | 'message'
  /** The name of the tool, or the role of the message. */
  name: string
  /** Its place, counted from 1. */
  number: number
  /** The text that a person reads. */
  text: string
  /** Equal regions have the same one. */
  exact: string
}

/** A parameter whose values differ; undefined where a request has none. */
interface ChangedParameter {
  name: string
  before: string | undefined
  after: string | undefined
}

/** The first difference of the prompts; both regions are null where nothing broke. */
export interface PrefixBreak {
  /** Regions before it that are equal. */
  equal: number
  before: Region | null
  after: Region | null
}

export interface ChatComparison {
  tools: Pair<Region>[]
  messages: Pair<Region>[]
  parameters: { changed: ChangedParameter[]; equal: number }
  prefix: PrefixBreak
  answers: { before: string; after: string }
}

export function compareChats(before: StoredChat, after: StoredChat): ChatComparison {
  const [first, second] = [listRegions(before), listRegions(after)]
  const align = (kind: Region['kind']) => {
    const ofKind = (regions: readonly Region[]) => regions.filter((each) => each.kind === kind)
    return alignLists(ofKind(first), ofKind(second), isSame)
  }
  return {
    tools: align('tool'),
    messages: align('message'),
    parameters: compareParameters(before.request, after.request),
    prefix: findBreak(first, second),
    answers: { before: formatAnswers(before), after: formatAnswers(after) },
  }
}

const isSame = (a: Region, b: Region) => a.exact === b.exact

function listRegions({ request }: StoredChat): Region[] {
  return [
    ...toObjects(request.tools).map((tool, index) => createRegion('tool', tool, index)),
    ...toObjects(request.messages).map((message, index) => createRegion('message', message, index)),
  ]
}

function createRegion(kind: Region['kind'], value: JsonObject, index: number): Region {
  const exact = JSON.stringify(value, (name, member: unknown) =>
    name === 'cache_control' ? undefined : member,
  )
  const name = kind === 'tool' ? getToolName(value) : getText(value.role)
  const text = kind === 'tool' ? formatJson(value) : formatMessage(value)
  return { kind, name, number: index + 1, text, exact }
}

function getToolName(tool: JsonObject): string {
  return getText(toObject(tool.function).name) || getText(toObject(tool.custom).name) || getText(tool.type)
}

/**
 * A prompt is read from the cache up to its first difference. Where the second prompt goes on after the whole first one, nothing
 * broke. Marks of the cache itself are no difference.
 */
function findBreak(first: readonly Region[], second: readonly Region[]): PrefixBreak {
  const at = first.findIndex((region, index) => region.exact !== second[index]?.exact)
  if (at === -1) return { equal: first.length, before: null, after: null }
  return { equal: at, before: first[at] ?? null, after: second[at] ?? null }
}

const NO_PARAMETERS = new Set(['messages', 'tools', 'model'])

function compareParameters(before: JsonObject, after: JsonObject): ChatComparison['parameters'] {
  const isGiven = (value: unknown) => value !== undefined && value !== null
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => !NO_PARAMETERS.has(name) && (isGiven(before[name]) || isGiven(after[name])))
    .sort()
  const changed = names.flatMap((name) => {
    const [one, other] = [before[name], after[name]].map((value) =>
      isGiven(value) ? JSON.stringify(value) : undefined,
    )
    return one === other ? [] : [{ name, before: one, after: other }]
  })
  return { changed, equal: names.length - changed.length }
}

function formatAnswers({ answers, error }: StoredChat): string {
  return [...toObjects(answers).map(formatMessage), ...(error === null ? [] : [error])].join('\n\n')
}

function formatMessage({ role: _role, content, ...rest }: JsonObject): string {
  const parts = typeof content === 'string' ? [content] : toObjects(content).map(formatPart)
  const others = Object.entries(rest).filter(([, value]) => value !== null && value !== undefined)
  return [...parts, ...(others.length === 0 ? [] : [formatJson(Object.fromEntries(others))])].join('\n\n')
}

function formatPart(part: JsonObject): string {
  return part.type === 'text' ? getText(part.text) : formatJson(part)
}

const MAX_DATA = 120

/** JSON without the data of images and files, whose lengths say enough. */
function formatJson(value: JsonObject): string {
  const shorten = (_name: string, member: unknown) => {
    const isData = typeof member === 'string' && member.length > MAX_DATA && /^[\w+/=:;,.-]+$/.test(member)
    return isData ? `${member.slice(0, 24)}… (${member.length} characters)` : member
  }
  return JSON.stringify(value, shorten, 2)
}
