import type { ChatRequest } from '../../shared/formats/chat.ts'
import { callerText } from '../platform/ids.ts'

const MAX_LENGTH = 80
/** Agents put whole files before the prompt. */
const MAX_SCANNED = 50_000
/** The limit for all texts together: a caller chooses their number. */
const MAX_SCANNED_IN_ALL = 8 * MAX_SCANNED
const LINES = /^(# AGENTS\.md instructions for .*|This is the Gemini CLI\. We are setting up[\s\S]*)$/gm
/** Tags that only mark the prompt: Cline's `<task>`, Cursor's `<user_query>`. */
const MARKS = /<\/?[a-z][\w-]*>/gi

/** The first words that the user wrote; null if there are none. */
export function getTitle({ messages, max_tokens }: ChatRequest): string | null {
  // Claude Code asks for one token to see whether it has any quota left.
  if (max_tokens === 1) return null
  let left = MAX_SCANNED_IN_ALL
  for (const message of messages) {
    if (message.role !== 'user') continue
    for (const text of getTexts(message.content)) {
      const scanned = text.slice(0, Math.min(MAX_SCANNED, left))
      const title = shorten(scanned)
      if (title !== '') return title
      left -= scanned.length
      if (left <= 0) return null
    }
  }
  return null
}

function getTexts(content: unknown): string[] {
  if (typeof content === 'string') return [content]
  if (!Array.isArray(content)) return []
  return content.flatMap((part: unknown) => {
    const text = typeof part === 'object' && part !== null ? Reflect.get(part, 'text') : null
    return typeof text === 'string' ? [text] : []
  })
}

function shorten(text: string): string {
  const plainText = withoutBlocks(text).replaceAll(LINES, ' ').replaceAll(MARKS, ' ')
  const words = plainText.replaceAll(/\s+/g, ' ').trim()
  if (words.length <= MAX_LENGTH) return callerText(words, MAX_LENGTH)
  const cut = words.slice(0, MAX_LENGTH + 1).replace(/\s\S*$/, '')
  return `${callerText([...cut].slice(0, MAX_LENGTH).join(''), MAX_LENGTH)}…`
}

/** Names of blocks that agents put before or after what the user wrote. */
const BLOCK_NAME =
  /reminder|environment|instructions|context|caveat|stdout|stderr|permissions|skills|plugins|command-name|command-message/
/** No part of it matches across the next tag, so that the time is proportional to the text, whatever a caller sends. */
const TAG = /<(\/?)([\w-]{1,60})(?![\w-])[^<>]*>/g

interface Tag {
  name: string
  start: number
  end: number
}

/** The text with a space in place of each block, from `<name …>` to the next `</name>`. */
function withoutBlocks(text: string): string {
  const { opening, closing } = findTags(text)
  let kept = ''
  let from = 0
  for (const tag of opening) {
    if (tag.start < from) continue
    const ends = closing.get(tag.name) ?? []
    while (ends.length > 0 && (ends.at(-1)?.start ?? 0) < tag.end) ends.pop()
    const close = ends.at(-1)
    if (!close) continue
    kept += `${text.slice(from, tag.start)} `
    from = close.end
  }
  return kept + text.slice(from)
}

/** The tags of blocks. `closing`: by name, the first one last. */
function findTags(text: string): { opening: Tag[]; closing: Map<string, Tag[]> } {
  const tags = [...text.matchAll(TAG)].map(({ 0: whole, 1: slash, 2: name = '', index }) => ({
    name: name.toLowerCase(),
    isOpening: slash === '',
    start: index,
    end: index + whole.length,
  }))
  const ofBlocks = tags.filter(({ name }) => BLOCK_NAME.test(name))
  const closing = ofBlocks.filter(({ isOpening }) => !isOpening).reverse()
  return {
    opening: ofBlocks.filter(({ isOpening }) => isOpening),
    closing: Map.groupBy(closing, ({ name }) => name),
  }
}
