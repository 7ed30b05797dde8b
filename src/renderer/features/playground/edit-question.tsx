import { type KeyboardEvent, useState } from 'react'
import { Button } from '../../kit/button.tsx'
import { Field, TextArea } from '../../kit/field.tsx'
import type { Exchange, ToolResult } from '../../parts/chats/chat-storage.ts'

interface EditQuestionProps {
  exchange: Exchange
  onCancel: () => void
  onSend: (text: string, results: ToolResult[]) => void
}

export function EditQuestion({ exchange, onCancel, onSend }: EditQuestionProps) {
  const [text, setText] = useState(exchange.text)
  const [results, setResults] = useState(exchange.results)
  const hasQuestion = results.length === 0 || exchange.text !== '' || exchange.images.length > 0
  const isComplete = text.trim() !== '' || exchange.images.length > 0 || !hasQuestion
  const ready = isComplete && results.every(({ content }) => content.trim() !== '')
  const send = () => onSend(text.trim(), results)
  const onKeyDown = (event: KeyboardEvent, needsCtrl: boolean) => {
    if (event.key === 'Escape') {
      event.stopPropagation()
      onCancel()
    }
    const sends = needsCtrl ? event.ctrlKey || event.metaKey : !event.shiftKey
    if (event.key !== 'Enter' || !sends || event.nativeEvent.isComposing || !ready) return
    event.preventDefault()
    send()
  }
  return (
    <div className="flex w-[85%] flex-col gap-2 self-end">
      {results.map((result, index) => (
        <Field key={`${result.column} ${result.callId}`} label={`Result of ${result.name}`}>
          {(attributes) => (
            <TextArea
              {...attributes}
              autoFocus={index === 0}
              rows={Math.min(8, result.content.split('\n').length + 1)}
              spellCheck={false}
              value={result.content}
              onChange={({ target }) => setResults(results.with(index, { ...result, content: target.value }))}
              onKeyDown={(event) => onKeyDown(event, true)}
              className="font-mono text-sm"
            />
          )}
        </Field>
      ))}
      {hasQuestion ? (
        <TextArea
          aria-label="Question"
          autoFocus={results.length === 0}
          rows={Math.min(10, text.split('\n').length + 1)}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => onKeyDown(event, false)}
        />
      ) : null}
      <div className="flex items-center justify-end gap-2">
        <p className="mr-auto text-ink-3 text-sm">Creates a new branch. Earlier answers are kept.</p>
        <Button small onClick={onCancel}>
          Cancel
        </Button>
        <Button small variant="primary" disabled={!ready} onClick={send}>
          Ask again
        </Button>
      </div>
    </div>
  )
}
