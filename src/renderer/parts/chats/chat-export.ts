import type { Chat, Exchange } from './chat-storage.ts'
import { findPath, getAnswer, getTitle, listColumns } from './chat-tree.ts'

/** The branch that is shown, as a Markdown document. */
export function chatToMarkdown(chat: Chat): string {
  const system = chat.system.trim() ? [`**System prompt**\n\n${chat.system.trim()}`] : []
  const parts = [`# ${getTitle(chat)}`, ...system, ...findPath(chat).flatMap(writeExchange)]
  return `${parts.join('\n\n')}\n`
}

/** All branches, as JSON. */
export function chatToJson(chat: Chat): string {
  return `${JSON.stringify(chat, null, 2)}\n`
}

/** The name of a file with the chat. */
export function chatFileName(chat: Chat, extension: string): string {
  const words = getTitle(chat)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '')
  return `${words.slice(0, 50) || 'chat'}.${extension}`
}

function writeExchange(exchange: Exchange): string[] {
  const { text, imageCount, results } = exchange
  const images = imageCount === 0 ? [] : [imageCount === 1 ? '_1 image_' : `_${imageCount} images_`]
  const question = [...images, ...(text ? [text] : [])]
  return [
    ...results.map(({ name, content }) => `## Result of ${name}\n\n${fence(content, '')}`),
    ...(question.length > 0 ? [`## Question\n\n${question.join('\n\n')}`] : []),
    ...listColumns(exchange).flatMap((column) => writeAnswer(exchange, column)),
  ]
}

function writeAnswer(exchange: Exchange, column: number): string[] {
  const answer = getAnswer(exchange, column)
  if (!answer) return []
  const calls = answer.toolUses.map((use) => `Calls \`${use.name}\`:\n\n${fence(use.arguments, 'json')}`)
  const error = answer.error ? [`Error: ${answer.error.message}`] : []
  const body = [...(answer.text ? [answer.text] : []), ...calls, ...error]
  return [`## ${answer.model ?? 'Answer'}\n\n${body.join('\n\n')}`]
}

/** A code block whose fence is longer than any in the text. */
function fence(text: string, language: string): string {
  const longest = [...text.matchAll(/`+/g)].reduce((most, [run]) => Math.max(most, run.length), 2)
  const marks = '`'.repeat(longest + 1)
  return `${marks}${language}\n${text}\n${marks}`
}
