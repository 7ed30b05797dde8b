import { Bot, CornerDownRight, type LucideIcon, ScrollText, User } from 'lucide-react'
import { memo } from 'react'
import { cn } from '../../kit/cn.ts'
import { CopyIconButton } from '../../kit/copy.tsx'
import type { TranscriptMessage, TranscriptPart, TranscriptRole } from '../../parts/transcript/transcript.ts'
import { Part } from './message-part.tsx'

const roles: Record<TranscriptRole, { name: string; icon: LucideIcon }> = {
  system: { name: 'System', icon: ScrollText },
  user: { name: 'User', icon: User },
  assistant: { name: 'Assistant', icon: Bot },
  tool: { name: 'Tool result', icon: CornerDownRight },
}

export const Message = memo(function Message({ message: { role, parts } }: { message: TranscriptMessage }) {
  const { name, icon: Icon } = roles[role]
  const text = parts.flatMap(readText).join('\n\n')
  return (
    <article
      aria-label={name}
      className={cn(
        'group min-w-0 rounded-lg border border-line px-3.5 pt-1.5 pb-3',
        role === 'assistant' ? 'bg-surface' : 'bg-canvas',
      )}
    >
      <header className="mb-1 flex h-7 items-center gap-1.5 font-medium text-ink-2 text-sm">
        <Icon size={13} aria-hidden className="shrink-0 text-ink-3" />
        {name}
        {text === '' ? null : (
          <span className="-mr-2 ml-auto">
            <CopyIconButton text={text} label="Copy message" />
          </span>
        )}
      </header>
      <div className="flex flex-col gap-2.5">
        {parts.map((part, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity other than their position
          <Part key={index} part={part} role={role} />
        ))}
      </div>
    </article>
  )
})

function readText(part: TranscriptPart): string[] {
  if (part.type === 'text' || part.type === 'result') return [part.text]
  return part.type === 'call' ? [part.input] : []
}
