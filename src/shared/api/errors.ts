import { z } from 'zod'
import { ERROR_TYPES } from './terms.ts'

export const ErrorType = z.enum(ERROR_TYPES).meta({ id: 'ErrorType' })
export type ErrorType = z.infer<typeof ErrorType>

export const ErrorBody = z
  .object({
    type: ErrorType,
    message: z.string().describe('What is wrong and, if the caller can fix it, how.'),
    code: z.string().optional().describe('A more precise cause, such as `model_not_found`.'),
    param: z.string().optional().describe('The path of the field that is wrong: `messages[0].content`.'),
  })
  .meta({ id: 'ErrorBody' })
export type ErrorBody = z.infer<typeof ErrorBody>

export const ErrorEnvelope = z.object({ error: ErrorBody }).meta({
  id: 'ErrorResponse',
  description: 'The JSON body of every response with a status of 400 or above.',
})
export type ErrorEnvelope = z.infer<typeof ErrorEnvelope>
