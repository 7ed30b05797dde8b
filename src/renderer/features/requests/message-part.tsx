import { Image, Paperclip, Wrench } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Badge } from '../../kit/badge.tsx'
import { Button } from '../../kit/button.tsx'
import { formatBytes, formatCount } from '../../kit/format.ts'
import { markdown } from '../../parts/answer/answer.tsx'
import type { TranscriptPart, TranscriptRole } from '../../parts/transcript/transcript.ts'

/** Longer texts are cut until the user asks for all. A system prompt is rarely what is looked for. */
const FOLD_CHARS = 3_000
const FOLD_SYSTEM_CHARS = 500
/** Longer texts are not parsed as Markdown, which would take seconds. */
const MARKDOWN_CHARS = 40_000

export function Part({ part, role }: { part: TranscriptPart; role: TranscriptRole }) {
  switch (part.type) {
    case 'text':
      return role === 'assistant' && part.text.length <= MARKDOWN_CHARS ? (
        <markdown.View text={part.text} streaming={false} />
      ) : (
        <LongText text={part.text} foldChars={role === 'system' ? FOLD_SYSTEM_CHARS : FOLD_CHARS} />
      )
    case 'reasoning':
      return <Reasoning text={part.text} />
    case 'call':
      return (
        <Block icon={<Wrench size={13} aria-hidden />} title={part.name} id={part.id}>
          <LongText text={part.input} code />
        </Block>
      )
    case 'result':
      return (
        <Block icon={<Wrench size={13} aria-hidden />} title={part.name} id={part.id} failed={part.failed}>
          {part.text === '' ? (
            <p className="text-ink-3 text-sm">Empty</p>
          ) : (
            <LongText text={part.text} code />
          )}
        </Block>
      )
    case 'image':
      return <Picture source={part.source} />
    case 'other':
      return (
        <p className="flex items-center gap-2 text-ink-2 text-sm">
          <Paperclip size={13} aria-hidden className="shrink-0 text-ink-3" />
          <span className="font-mono">{part.name}</span>
          <span className="truncate">{part.detail}</span>
        </p>
      )
    default:
      return part satisfies never
  }
}

interface LongTextProps {
  text: string
  code?: boolean
  foldChars?: number
}

function LongText({ text, code = false, foldChars = FOLD_CHARS }: LongTextProps) {
  const [all, setAll] = useState(false)
  const folded = !all && text.length > foldChars
  return (
    <div className={code ? 'font-mono text-sm' : ''}>
      <p className="whitespace-pre-wrap [overflow-wrap:anywhere]">
        {folded ? `${text.slice(0, foldChars).toWellFormed()}…` : text}
      </p>
      {folded ? (
        <Button small className="mt-2 font-sans" onClick={() => setAll(true)}>
          Show all {formatCount(text.length)} characters
        </Button>
      ) : null}
    </div>
  )
}

function Reasoning({ text }: { text: string }) {
  if (text === '') {
    return <p className="text-ink-3 text-sm">Reasoning, which the provider returned encrypted</p>
  }
  return (
    <details className="rounded-md bg-sunken px-3 py-1.5 text-ink-2">
      <summary className="select-none rounded-sm font-medium text-sm">Reasoning</summary>
      <div className="mt-1.5 text-sm">
        <LongText text={text} />
      </div>
    </details>
  )
}

interface BlockProps {
  icon: ReactNode
  title: string
  id: string
  failed?: boolean
  children: ReactNode
}

function Block({ icon, title, id, failed = false, children }: BlockProps) {
  return (
    <div className="overflow-hidden rounded-md border border-line bg-raised">
      <p className="flex items-center gap-2 border-line border-b bg-canvas px-3 py-1.5 text-ink-3 text-sm">
        {icon}
        {title === '' ? null : <span className="truncate font-medium font-mono text-ink">{title}</span>}
        {failed ? <Badge tone="bad">Failed</Badge> : null}
        <span className="ml-auto truncate font-mono text-xs">{id}</span>
      </p>
      <div className="px-3 py-2">{children}</div>
    </div>
  )
}

/** Only pictures that the request itself has are shown: the window fetches nothing. */
function Picture({ source }: { source: string }) {
  if (!source.startsWith('data:image/')) {
    return (
      <p className="flex items-start gap-2 text-ink-2 text-sm">
        <Image size={13} aria-hidden className="mt-0.5 shrink-0 text-ink-3" />
        <span className="break-all">{source}</span>
      </p>
    )
  }
  // Four characters of base64 are three bytes.
  const bytes = (source.length - source.indexOf(',') - 1) * 0.75
  return (
    <figure>
      <img
        src={source}
        alt="In this message"
        className="max-h-48 max-w-full rounded-md border border-line object-contain"
      />
      <figcaption className="mt-1 text-ink-3 text-xs">
        {source.slice('data:'.length, source.indexOf(';'))}, {formatBytes(bytes)}
      </figcaption>
    </figure>
  )
}
