// Fields of chat completions that ask for an answer of another kind, and that other API formats lack. Those that only tune
// an answer are omitted.
import type { KnownChatRequest } from '../../../shared/chat.ts'
import { refuseRequest } from './refuse-request.ts'

/** Fields, and whether a value asks for what happens without the field. */
export type UnsupportedFields = Readonly<Record<string, (value: unknown) => boolean>>

export const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0

/** The deprecated functions, whose calls have no id, and audio as output. */
export const LEGACY_AND_AUDIO: UnsupportedFields = {
  audio: () => false,
  modalities: (value) => Array.isArray(value) && value.every((each) => each === 'text'),
  functions: isEmptyList,
  function_call: (value) => value === 'none' || value === 'auto',
}

/** What to send instead. */
const ALTERNATIVES: Readonly<Record<string, string>> = {
  functions: 'send "tools"',
  function_call: 'send "tool_choice"',
}

/** Throws 400 with `param` for a field that asks for something. `who` names the provider at the start of a sentence. */
export function refuseFields(request: KnownChatRequest, fields: UnsupportedFields, who: string): void {
  for (const [name, isDefault] of Object.entries(fields)) {
    const value = request[name]
    if (value === undefined || value === null || isDefault(value)) continue
    throw refuseRequest(`${who} has no "${name}": ${ALTERNATIVES[name] ?? 'leave it out'}.`, name)
  }
}
