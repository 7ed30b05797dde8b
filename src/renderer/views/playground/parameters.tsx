import { SlidersHorizontal } from 'lucide-react'
import { Popover } from 'radix-ui'
import { Button, IconButton } from '../../components/button.tsx'
import { Field, TextArea, TextField } from '../../components/field.tsx'
import { PopoverPanel } from '../../components/popover-panel.tsx'
import { parseCount } from '../../number-input.ts'
import type { Chat, ChatSettings } from '../../playground/chat-storage.ts'
import { parseExtraFields } from '../../playground/parse-extra-fields.ts'
import { EXAMPLE_TOOLS, parseTools } from '../../playground/parse-tools.ts'

interface ParametersProps {
  chat: Chat
  models: readonly string[]
  onChange: (part: Partial<ChatSettings>) => void
}

export function Parameters({ chat, models, onChange }: ParametersProps) {
  const maxTokens = parseCount(chat.maxTokens)
  const temperature = Number(chat.temperature)
  const temperatureIsValid = chat.temperature.trim() === '' || (temperature >= 0 && temperature <= 2)
  const tools = parseTools(chat.tools)
  const extra = parseExtraFields(chat.extra)
  const sandbox = models.some((model) => model.startsWith('sandbox'))
  return (
    <Popover.Root>
      <Popover.Trigger asChild>
        <IconButton label="Parameters" icon={SlidersHorizontal} />
      </Popover.Trigger>
      <PopoverPanel
        align="end"
        aria-label="Parameters"
        className="flex max-h-(--radix-popover-content-available-height) w-96 flex-col gap-4 overflow-y-auto p-4"
      >
        <Field label="System prompt">
          {(attributes) => (
            <TextArea
              {...attributes}
              rows={4}
              value={chat.system}
              placeholder="None"
              onChange={(event) => onChange({ system: event.target.value })}
            />
          )}
        </Field>
        <div className="grid grid-cols-2 gap-3">
          <TextField
            label="Temperature"
            inputMode="decimal"
            placeholder="Model default"
            value={chat.temperature}
            onChange={(temperature) => onChange({ temperature })}
            error={temperatureIsValid ? null : 'Enter a number from 0 to 2.'}
          />
          <TextField
            label="Max tokens"
            inputMode="numeric"
            placeholder="Model default"
            value={chat.maxTokens}
            onChange={(maxTokens) => onChange({ maxTokens })}
            error={maxTokens.ok ? null : 'Enter a whole number.'}
          />
        </div>
        <Field
          label="Tools"
          error={tools.ok ? null : tools.message}
          hint={
            tools.ok && tools.tools.length > 0
              ? `${tools.tools.length === 1 ? '1 tool' : `${tools.tools.length} tools`}. You enter their results by hand.${sandbox ? ' The sandbox calls a tool when the message contains [[sandbox:tool NAME]].' : ''}`
              : 'A JSON array in the chat-completions format.'
          }
        >
          {(attributes) => (
            <TextArea
              {...attributes}
              rows={6}
              spellCheck={false}
              value={chat.tools}
              placeholder="None"
              onChange={(event) => onChange({ tools: event.target.value })}
              className="font-mono text-sm"
            />
          )}
        </Field>
        {chat.tools.trim() === '' ? (
          <Button
            small
            variant="quiet"
            className="-mt-3 self-start"
            onClick={() => onChange({ tools: EXAMPLE_TOOLS })}
          >
            Insert an example
          </Button>
        ) : null}
        <Field
          label="Other parameters"
          error={extra.ok ? null : extra.message}
          hint="A JSON object of further request fields, such as top_p or stop."
        >
          {(attributes) => (
            <TextArea
              {...attributes}
              rows={3}
              spellCheck={false}
              value={chat.extra}
              placeholder="None"
              onChange={(event) => onChange({ extra: event.target.value })}
              className="font-mono text-sm"
            />
          )}
        </Field>
      </PopoverPanel>
    </Popover.Root>
  )
}
