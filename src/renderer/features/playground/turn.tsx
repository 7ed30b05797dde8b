import { ChevronLeft, ChevronRight, RefreshCw, Scale, Send } from 'lucide-react'
import { memo, useState } from 'react'
import { Button } from '../../kit/button.tsx'
import { cn } from '../../kit/cn.ts'
import { IconButton } from '../../kit/icon-button.tsx'
import { Answer } from '../../parts/answer/answer.tsx'
import type { ResultTexts } from '../../parts/answer/tool-uses.tsx'
import type { Exchange, ToolResult, ToolUse } from '../../parts/chats/chat-storage.ts'
import { getAnswer, listColumns, listVersions } from '../../parts/chats/chat-tree.ts'
import { compareAnswers } from '../../parts/chats/compare-answers.ts'
import { usePlayground } from '../../parts/chats/playground-store.ts'
import { Question } from './question.tsx'

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

// Providers require the results of all parallel tool calls of an answer, so they are sent together.

/** The typed results, by column and then by the id of the call. */
export type ResultDrafts = ReadonlyMap<number, ReadonlyMap<string, string>>

export function setDraft(drafts: ResultDrafts, column: number, callId: string, text: string): ResultDrafts {
  return new Map(drafts).set(column, new Map(drafts.get(column)).set(callId, text))
}

/** The tool calls of a column that have no results yet. */
export function listOpenCalls(exchange: Exchange, column: number): readonly ToolUse[] {
  const answer = getAnswer(exchange, column)
  return answer?.state === 'done' ? answer.toolUses : []
}

export interface CollectedResults {
  /** The results of the columns in which every call has one. */
  results: ToolResult[]
  /** How many are missing in the columns with at least one result, or in all of them if there is none. */
  missing: number
}

/** Skips columns without any result if there are several. */
export function collectResults(exchange: Exchange, drafts: ResultDrafts): CollectedResults {
  const columns = listColumns(exchange).flatMap((column) => {
    const calls = listOpenCalls(exchange, column)
    if (calls.length === 0) return []
    const results = calls.flatMap(({ id, name }) => {
      const content = drafts.get(column)?.get(id) ?? ''
      return content.trim() === '' ? [] : [{ column, callId: id, name, content }]
    })
    return [{ results, missing: calls.length - results.length }]
  })
  const started = columns.filter(({ results }) => results.length > 0)
  return {
    results: started.flatMap(({ results, missing }) => (missing === 0 ? results : [])),
    missing: (started.length > 0 ? started : columns).reduce((sum, { missing }) => sum + missing, 0),
  }
}

interface ColumnProps {
  exchange: Exchange
  column: number
  /** The model that is chosen for it now. */
  model: string | undefined
  results: ResultTexts | null
  /** Drawn as a card, when there are several side by side. */
  framed: boolean
}

function Column({ exchange, column, model, results, framed }: ColumnProps) {
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
