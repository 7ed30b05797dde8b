// The differences of two stored chats, in the order in which providers cache a prompt: tools first, then messages.
import type { StoredChat } from '../../../shared/api/requests.ts'
import { alignLists, type Pair } from '../../../shared/tools/diff.ts'
import { getText, type JsonObject, toObject, toObjects } from '../../../shared/values/json.ts'

/** A part of a request or its answer. */
export interface Region {
  kind: 'parameter' | 'tool' | 'message' | 'answer'
  /** The name of the parameter or tool, or the role of the message. */
  name: string
  /** The place of a tool or message, counted from 1. */
  number: number | null
  /** The text that a person reads. */
  text: string
  /** Equal regions have the same one. */
  exact: string
}

/** The first difference of the prompts; both regions are null where nothing broke. */
export interface PrefixBreak {
  /** Regions before it that are equal. */
  equal: number
  before: Region | null
  after: Region | null
}

export interface ChatComparison
  extends Record<'parameters' | 'tools' | 'messages' | 'answers', Pair<Region>[]> {
  prefix: PrefixBreak
}

export function compareChats(before: StoredChat, after: StoredChat): ChatComparison {
  const [first, second] = [listPrompt(before), listPrompt(after)]
  const align = (kind: Region['kind']) => {
    const ofKind = (regions: readonly Region[]) => regions.filter((region) => region.kind === kind)
    return alignLists(ofKind(first), ofKind(second), isSame)
  }
  return {
    parameters: pairByName(listParameters(before.request), listParameters(after.request)),
    tools: align('tool'),
    messages: align('message'),
    answers: pairByName([readAnswers(before)], [readAnswers(after)]),
    prefix: findBreak(first, second),
  }
}

const isSame = (a: Region, b: Region) => a.exact === b.exact

function listPrompt({ request }: StoredChat): Region[] {
  return [
    ...toObjects(request.tools).map((tool, index) => createRegion('tool', tool, index)),
    ...toObjects(request.messages).map((message, index) => createRegion('message', message, index)),
  ]
}

function createRegion(kind: 'tool' | 'message', value: JsonObject, index: number): Region {
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

function listParameters(request: JsonObject): Region[] {
  return Object.entries(request)
    .filter(([name, value]) => !NO_PARAMETERS.has(name) && value !== null && value !== undefined)
    .map(([name, value]) => createUnnumbered('parameter', name, JSON.stringify(value)))
}

function readAnswers({ answers, error }: StoredChat): Region {
  const texts = [...toObjects(answers).map(formatMessage), ...(error === null ? [] : [error])]
  return createUnnumbered('answer', 'assistant', texts.join('\n\n'))
}

function createUnnumbered(kind: Region['kind'], name: string, text: string): Region {
  return { kind, name, number: null, text, exact: text }
}

function pairByName(first: readonly Region[], second: readonly Region[]): Pair<Region>[] {
  const names = [...new Set([...first, ...second].map(({ name }) => name))].sort()
  return names.map((name) => {
    const [before = null, after = null] = [first, second].map((regions) =>
      regions.find((region) => region.name === name),
    )
    return { before, after, same: before?.exact === after?.exact }
  })
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
