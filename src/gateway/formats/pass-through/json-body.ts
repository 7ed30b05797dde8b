import type { PassThrough, PassThroughInput } from '../chat/pass-through.ts'
import { readMember, setMember } from '../json/edit-json.ts'

const HEADERS = { 'content-type': 'application/json' }

/** The body as it came, with the provider's name of the model. */
export function encodeJson({ bytes }: PassThroughInput): PassThrough['encode'] {
  const text = bytes.toString('utf8')
  const given = readMember(text, 'model')
  return (model) => ({
    headers: { ...HEADERS },
    body: given === JSON.stringify(model) ? text : setMember(text, ['model'], model),
  })
}
