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
export function withoutBlocks(text: string): string {
  const { opening, closing } = tagsOf(text)
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
function tagsOf(text: string): { opening: Tag[]; closing: Map<string, Tag[]> } {
  const opening: Tag[] = []
  const closing = new Map<string, Tag[]>()
  for (const match of text.matchAll(TAG)) {
    const [whole, slash, written = ''] = match
    const name = written.toLowerCase()
    if (!BLOCK_NAME.test(name)) continue
    const tag = { name, start: match.index, end: match.index + whole.length }
    if (slash === '') opening.push(tag)
    else appendTo(closing, name, tag)
  }
  for (const tags of closing.values()) tags.reverse()
  return { opening, closing }
}

function appendTo(tags: Map<string, Tag[]>, name: string, tag: Tag): void {
  const known = tags.get(name)
  if (known) known.push(tag)
  else tags.set(name, [tag])
}
