import { ChevronLeft, ChevronRight, RefreshCw } from 'lucide-react'
import { cn } from '../../kit/cn.ts'
import { IconButton } from '../../kit/icon-button.tsx'
import { Answer } from '../../parts/answer/answer.tsx'
import type { ResultTexts } from '../../parts/answer/tool-uses.tsx'
import type { Exchange } from '../../parts/chats/chat-storage.ts'
import { getAnswer, listVersions } from '../../parts/chats/chat-tree.ts'
import { usePlayground } from '../../parts/chats/playground-store.ts'

interface ColumnProps {
  exchange: Exchange
  column: number
  /** The model that is chosen for it now. */
  model: string | undefined
  results: ResultTexts | null
  /** Drawn as a card, when there are several side by side. */
  framed: boolean
}

export function Column({ exchange, column, model, results, framed }: ColumnProps) {
  const streaming = usePlayground((store) => store.streaming)
  const { regenerate, selectAnswer } = usePlayground.getState()
  const answer = getAnswer(exchange, column)
  if (!answer) return null
  const versions = listVersions(exchange, column)
  const at = versions.indexOf(answer)
  const retry = () => void regenerate(exchange.id, column, model)
  const show = (index: number) => {
    const version = versions[index]
    if (version) selectAnswer(exchange.id, version.id)
  }
  return (
    <div className={cn('min-w-0', framed && 'rounded-lg border border-line bg-surface p-4')}>
      <Answer answer={answer} results={results} onRetry={streaming ? null : retry}>
        <IconButton label="Regenerate" icon={RefreshCw} small disabled={streaming} onClick={retry} />
        {versions.length > 1 ? (
          <>
            <IconButton
              label="Previous answer"
              icon={ChevronLeft}
              small
              disabled={at === 0}
              onClick={() => show(at - 1)}
            />
            {at + 1} of {versions.length}
            <IconButton
              label="Next answer"
              icon={ChevronRight}
              small
              disabled={at === versions.length - 1}
              onClick={() => show(at + 1)}
            />
          </>
        ) : null}
      </Answer>
    </div>
  )
}
