// Files that a question takes along: images as they are, and text files as blocks of code in the question.

type Attachment =
  | { kind: 'image'; url: string }
  | { kind: 'text'; block: string }
  | { kind: 'refused'; message: string }

const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif']
const MAX_IMAGE_BYTES = 10_000_000
/** About 125,000 tokens. */
const MAX_TEXT_BYTES = 500_000

export function isImage({ type }: File): boolean {
  return type.startsWith('image/')
}

export function readAttachment(file: File): Promise<Attachment> {
  return isImage(file) ? readImage(file) : readText(file)
}

async function readImage(file: File): Promise<Attachment> {
  if (!IMAGE_TYPES.includes(file.type)) return refuse(`${file.name} is not a PNG, JPEG, WebP or GIF image.`)
  if (file.size > MAX_IMAGE_BYTES) return refuse(`${file.name} is larger than 10 MB.`)
  return new Promise((resolve) => {
    const reader = new FileReader()
    reader.onload = () => resolve({ kind: 'image', url: String(reader.result) })
    reader.onerror = () => resolve(refuse(`${file.name} could not be read.`))
    reader.readAsDataURL(file)
  })
}

async function readText(file: File): Promise<Attachment> {
  if (file.size > MAX_TEXT_BYTES) return refuse(`${file.name} is larger than 500 kB.`)
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer())
    if (!text.includes('\0')) return { kind: 'text', block: writeBlock(file.name, text) }
  } catch {
    // Not UTF-8, or no longer there.
  }
  return refuse(`${file.name} is not a text file.`)
}

/** The fence is longer than any in the text, which may be Markdown itself. */
function writeBlock(name: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${name}\n${fence}\n${text.replace(/\n$/, '')}\n${fence}`
}

function refuse(message: string): Attachment {
  return { kind: 'refused', message }
}
