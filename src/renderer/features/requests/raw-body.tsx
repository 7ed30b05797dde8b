import { WrapText } from 'lucide-react'
import { memo, useMemo, useState } from 'react'
import { Button } from '../../kit/button.tsx'
import { cn } from '../../kit/cn.ts'
import { CopyIconButton } from '../../kit/copy.tsx'
import { formatBytes } from '../../kit/format.ts'

/** A stored body: JSON with line breaks, anything else as it was. */
export const RawBody = memo(function RawBody({ text, name }: { text: string | null; name: string }) {
  const [wrap, setWrap] = useState(true)
  const formatted = useMemo(() => formatBody(text ?? ''), [text])
  const blocks = useMemo(() => splitIntoBlocks(formatted.text), [formatted])
  if (text === null || text === '') {
    return <p className="px-5 py-10 text-center text-ink-2">This {name} has no body.</p>
  }
  return (
    <div className="flex min-h-full flex-col">
      <div className="sticky top-0 z-10 flex items-center gap-2 border-line border-b bg-raised py-2 pr-3 pl-5">
        <span className="text-ink-3 text-sm">
          {formatted.kind}, {formatBytes(new Blob([text]).size)}
        </span>
        <span className="ml-auto" />
        <Button
          small
          variant="quiet"
          icon={WrapText}
          aria-pressed={wrap}
          onClick={() => setWrap(!wrap)}
          className="aria-pressed:bg-sunken aria-pressed:text-ink"
        >
          Wrap lines
        </Button>
        <CopyIconButton text={text} label={`Copy ${name}`} />
      </div>
      <pre
        className={cn(
          'min-w-0 flex-1 px-5 py-3 font-mono text-sm',
          wrap ? 'whitespace-pre-wrap [overflow-wrap:anywhere]' : 'overflow-x-auto whitespace-pre',
        )}
      >
        <code>
          {blocks.map(({ text: block, lines }, index) => (
            <span
              // biome-ignore lint/suspicious/noArrayIndexKey: blocks have no identity other than their position
              key={index}
              className="block [content-visibility:auto]"
              // Blocks out of sight are neither laid out nor painted, so that a large body opens immediately.
              style={{ containIntrinsicBlockSize: `auto ${lines * LINE_PX}px` }}
            >
              {block}
            </span>
          ))}
        </code>
      </pre>
    </div>
  )
})

const LINE_PX = 18

/** The text of a body as it is shown. */
export function formatBody(text: string): { kind: string; text: string } {
  try {
    return { kind: 'JSON', text: JSON.stringify(JSON.parse(text), null, 2) }
  } catch {
    return { kind: /^(event|data|:)/.test(text) ? 'Event stream' : 'Text', text }
  }
}

export interface TextBlock {
  text: string
  /** How many lines it has at least. */
  lines: number
}

const BLOCK_CHARS = 4_000

/** Cuts a text after lines, and within a line that is longer than a block. */
export function splitIntoBlocks(text: string): TextBlock[] {
  const blocks: TextBlock[] = []
  for (let start = 0; start < text.length; ) {
    const limit = start + BLOCK_CHARS
    const lineEnd = text.lastIndexOf('\n', limit)
    // Not between the halves of a character.
    const cut = /[\ud800-\udbff]/.test(text.charAt(limit - 1)) ? limit - 1 : limit
    const end = limit >= text.length ? text.length : lineEnd > start ? lineEnd + 1 : cut
    const part = text.slice(start, end)
    // A block ends its line by itself.
    const block = part.endsWith('\n') ? part.slice(0, -1) : part
    blocks.push({ text: block === '' ? '\n' : block, lines: part.split('\n').length })
    start = end
  }
  return blocks
}
