import { Scale, Send } from 'lucide-react'
import { memo, useState } from 'react'
import { Button } from '../../kit/button.tsx'
import { cn } from '../../kit/cn.ts'
import type { Exchange } from '../../parts/chats/chat-storage.ts'
import { getAnswer, listColumns } from '../../parts/chats/chat-tree.ts'
import { compareAnswers } from '../../parts/chats/compare-answers.ts'
import { usePlayground } from '../../parts/chats/playground-store.ts'
import { Column } from './column.tsx'
import { Question } from './question.tsx'
import { collectResults, listOpenCalls, type ResultDrafts, setDraft } from './result-drafts.ts'

interface TurnProps {
  exchange: Exchange
  /** The model chosen for each column. */
  models: readonly string[]
  /** It is the last exchange of the path. */
  last: boolean
}

/** Rendered again only when its own exchange changes, not with every token of another one. */
export const Turn = memo(function Turn({ exchange, models, last }: TurnProps) {
  const streaming = usePlayground((store) => store.streaming)
  const { ask, send } = usePlayground.getState()
  const [drafts, setDrafts] = useState<ResultDrafts>(new Map())
  const columns = listColumns(exchange)
  const waiting = last && !streaming && columns.some((column) => listOpenCalls(exchange, column).length > 0)
  const verdict = compareAnswers(columns.flatMap((column) => getAnswer(exchange, column) ?? []))
  const { results, missing } = collectResults(exchange, drafts)
  const sendResults = () => {
    if (missing === 0 && results.length > 0) void send('', [], exchange.id, results)
  }
  return (
    <>
      <div
        className={cn(
          'mx-auto mt-5 flex w-full flex-col first:mt-0',
          columns.length > 1 ? 'max-w-[140rem]' : 'max-w-3xl',
        )}
      >
        <Question exchange={exchange} />
        {columns.length === 0 && !streaming ? (
          <div className="flex items-center gap-3">
            <Button icon={Send} onClick={() => void ask(exchange.id, models)}>
              {exchange.results.length > 0 ? 'Send results' : 'Send question'}
            </Button>
            <span className="text-ink-3 text-sm">No answer yet.</span>
          </div>
        ) : null}
      </div>
      <div
        className={cn(
          'mx-auto grid w-full gap-5',
          columns.length > 1 ? 'max-w-[140rem] grid-cols-[repeat(auto-fit,minmax(12rem,1fr))]' : 'max-w-3xl',
        )}
      >
        {columns.map((column) => (
          <Column
            key={column}
            exchange={exchange}
            column={column}
            model={models[column]}
            framed={columns.length > 1}
            results={
              waiting && listOpenCalls(exchange, column).length > 0
                ? {
                    texts: drafts.get(column) ?? new Map(),
                    onChange: (callId, text) => setDrafts(setDraft(drafts, column, callId, text)),
                    onSend: sendResults,
                  }
                : null
            }
          />
        ))}
      </div>
      {verdict ? (
        <p className="mx-auto flex w-full max-w-[140rem] items-start gap-2 px-1 pt-1 text-ink-2 text-sm">
          <Scale size={14} aria-hidden className="mt-0.5 shrink-0 text-ink-3" />
          {verdict}
        </p>
      ) : null}
      {waiting ? (
        <div
          className={cn(
            'mx-auto flex w-full items-center gap-3',
            columns.length === 1 ? 'max-w-3xl' : 'max-w-[140rem]',
          )}
        >
          <Button icon={Send} disabled={missing > 0 || results.length === 0} onClick={sendResults}>
            Send results
          </Button>
          {missing > 0 ? (
            <span className="text-ink-3 text-sm">
              {missing === 1 ? '1 result is missing.' : `${missing} results are missing.`}
            </span>
          ) : null}
        </div>
      ) : null}
    </>
  )
})
