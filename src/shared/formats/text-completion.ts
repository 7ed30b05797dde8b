// OpenAI's older completions, which complete a text: editors use them to fill in the middle. Sources: OpenAI's API reference,
// "Create completion"; Mistral's API reference, "FIM completion".
import { z } from 'zod'
import { ChatUsage } from './chat-completion.ts'

const Tokens = z.array(z.int().min(0)).min(1)

export const TextCompletionRequest = z
  .looseObject({
    model: z.string().min(1).describe("A model's id, or `provider/model` to use that provider only."),
    prompt: z
      .union([z.string(), z.array(z.string()).min(1), Tokens, z.array(Tokens).min(1)])
      .describe('A text. Several, or tokens, only for providers that have the endpoint.'),
    suffix: z.string().nullish().describe('The text after the completion.'),
    max_tokens: z.int().min(0).nullish().describe('Default: 16.'),
    temperature: z.number().min(0).max(2).nullish(),
    top_p: z.number().nullish(),
    frequency_penalty: z.number().nullish(),
    presence_penalty: z.number().nullish(),
    n: z.int().min(1).max(128).nullish().describe('The number of choices. Default: 1.'),
    best_of: z.int().min(1).max(128).nullish(),
    stream: z.boolean().nullish(),
    stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
    stop: z.union([z.string(), z.array(z.string()).max(4)]).nullish(),
    seed: z.int().nullish(),
    random_seed: z.int().nullish().describe("Mistral's name of `seed`."),
    echo: z.boolean().nullish(),
    logprobs: z.int().min(0).max(20).nullish(),
    logit_bias: z.record(z.string(), z.number()).nullish(),
    user: z.string().nullish(),
  })
  .meta({
    id: 'TextCompletionRequest',
    description:
      "A request in OpenAI's older format. Fields that are not listed reach only providers that have the endpoint.",
  })
export type TextCompletionRequest = z.infer<typeof TextCompletionRequest>

export const TextCompletion = z
  .looseObject({
    id: z.string().describe('The id of the request record.'),
    object: z.literal('text_completion'),
    created: z.number(),
    model: z.string().describe('The model that served.'),
    choices: z.array(
      z.looseObject({ text: z.string(), index: z.number(), finish_reason: z.string().nullable() }),
    ),
    usage: ChatUsage.optional(),
  })
  .meta({ id: 'TextCompletion', description: 'A completion, or a piece of a streamed one.' })
