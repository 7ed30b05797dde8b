import type { ChatChunk, ChunkChoice } from '../../../shared/chat-completion.ts'
import { type ChunkPieces, joinPieces } from '../chat/events.ts'
import { findStringEnd, parseJson } from '../json/json.ts'

/** The members of a delta whose text comes in pieces, and where it starts in the JSON. */
const TEXTS: readonly { name: string; start: RegExp }[] = [
  { name: 'content', start: /"content"\s*:\s*"/ },
  { name: 'reasoning_content', start: /"reasoning_content"\s*:\s*"/ },
  { name: 'reasoning', start: /"reasoning"\s*:\s*"/ },
]
/** The last member of a chunk that only hides the length of its text: OpenAI's and Mistral's name for it. */
const PADDING = /"(obfuscation|p)"\s*:\s*"(?=[^"\\]*"\s*\}$)/

/** What may not stand for itself in a JSON string. */
const SPECIAL = /[\\\p{Cc}]/u

interface Template {
  parts: readonly string[]
  chunk: ChatChunk
  choice: ChunkChoice
  /** The member of the delta that is the first text. */
  name: string
  /** The member of the chunk that is the second text; null for a chunk without padding. */
  padding: string | null
  /** Whether the texts in the JSON are those members; checked when the template is used first. */
  isChecked: boolean
}

export interface RepeatedChunk {
  chunk: ChatChunk
  pieces: ChunkPieces
}

/** Most chunks of a stream differ in their text only. These are read by their text, without parsing the rest again. */
export class RepeatedChunks {
  #template: Template | null = null

  /** The chunk, if its JSON is that of the last one with another text; null if it has to be parsed. */
  read(json: string): RepeatedChunk | null {
    const template = this.#template
    const texts = template && textsIn(json, template.parts)
    if (!texts) return null
    if (!template.isChecked) template.isChecked = isTrue(template)
    const chunk = template.isChecked ? build(template, texts) : null
    if (!chunk) {
      this.#template = null
      return null
    }
    return { chunk, pieces: { parts: template.parts, texts } }
  }

  /** Called with a chunk that was parsed, and is as its format defines it. */
  remember(json: string, chunk: ChatChunk): void {
    const [choice, ...others] = chunk.choices
    if (!choice || others.length > 0 || choice.finish_reason !== null) return
    const text = TEXTS.find(({ name }) => choice.delta[name])
    const found = text?.start.exec(json)
    if (!text || !found) return
    const textStart = found.index + found[0].length
    const before = json.slice(0, textStart)
    const after = json.slice(findStringEnd(json, textStart - 1))
    const padding = PADDING.exec(after)
    const parts = padding ? [before, ...splitAt(after, padding)] : [before, after]
    this.#template = {
      parts,
      chunk,
      choice,
      name: text.name,
      padding: padding?.[1] ?? null,
      isChecked: false,
    }
  }
}

/** What surrounds the value that the match precedes. */
function splitAt(json: string, match: RegExpExecArray): [string, string] {
  const start = match.index + match[0].length
  return [json.slice(0, start), json.slice(json.indexOf('"', start))]
}

/** The literal texts between the parts; null for other JSON. */
function textsIn(json: string, parts: readonly string[]): string[] | null {
  const texts: string[] = []
  let at = 0
  for (const part of parts) {
    const start = at + part.length
    // Faster than `startsWith`.
    if (json.slice(at, start) !== part) return null
    if (texts.length === parts.length - 1) return start === json.length ? texts : null
    at = findStringEnd(json, start - 1)
    texts.push(json.slice(start, at))
  }
  return null
}

/** Null for texts that are not valid in JSON. */
function build({ chunk, choice, name, padding }: Template, texts: readonly string[]): ChatChunk | null {
  const text = readLiteral(texts[0])
  if (typeof text !== 'string') return null
  const choices = [{ ...choice, delta: { ...choice.delta, [name]: text } }]
  if (padding === null) return { ...chunk, choices }
  const padded = readLiteral(texts[1])
  return typeof padded === 'string' ? { ...chunk, choices, [padding]: padded } : null
}

/** Undefined for a text that is not valid in JSON. */
function readLiteral(literal = ''): unknown {
  return SPECIAL.test(literal) ? parseJson(`"${literal}"`) : literal
}

/** Other members can have the same names: other texts must make the chunk that is built with them. */
function isTrue(template: Template): boolean {
  const others = template.parts.slice(1).map((_, at) => `other ${at}`)
  const read = parseJson(joinPieces({ parts: template.parts, texts: others }))
  return JSON.stringify(read) === JSON.stringify(build(template, others))
}
