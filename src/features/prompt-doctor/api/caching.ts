// The parts of the prompts of a time, and the savings and losses of their caches.
import { z } from 'zod'
import { Timestamp } from '../../../shared/api/request-queries.ts'
import { CacheCause, perPart } from './prompts.ts'

export const CachingQuery = z
  .strictObject({
    from: Timestamp.optional().describe('The first day (in UTC) is counted as a whole.'),
    to: Timestamp.optional(),
    session: z.string().optional().describe("Only requests of this session: a session's id."),
    client: z.string().optional().describe('Only requests of this program, by its `clientName`.'),
  })
  .meta({ id: 'CachingQuery' })
export type CachingQuery = z.infer<typeof CachingQuery>

const Sums = z.object({
  requests: z.number(),
  promptUsd: z.number().describe('What the prompts cost, without the answers.'),
  savedUsd: z
    .number()
    .describe(
      'What reading from caches saved, less what writing to them cost, compared with uncached input.',
    ),
  lostUsd: z.number().describe('What breaks cost, compared with reading from the cache.'),
  breaks: z.number(),
  rewriteFactor: z
    .number()
    .nullable()
    .describe(
      'Tokens written to caches, divided by the largest prompt of each session: 1 is ideal. Null where nothing was written.',
    ),
})

const Share = z.object({
  share: z.number().describe('Of all prompts, from 0 to 1, by size.'),
  usd: z.number(),
})

export const CachingReport = Sums.extend({
  parts: perPart(Share).describe('Allocated to the parts of the prompts by their sizes.'),
  tools: z.object({
    perRequest: z.number().describe('Definitions in a request, on average.'),
    called: z.number().describe('How many different tools were called.'),
  }),
  servers: z
    .array(
      Share.extend({
        server: z.string().describe("An MCP server; empty for the client's own tools."),
        tools: z.number().describe('The most definitions in a request.'),
        called: z.number(),
      }),
    )
    .describe('The definitions of tools by their MCP server, the dearest first.'),
  results: z
    .array(Share.extend({ tool: z.string() }))
    .describe('The results of tools, the dearest first; at most 20.'),
  causes: z.array(
    z.object({
      cause: CacheCause,
      breaks: z.number(),
      lostTokens: z.number(),
      lostUsd: z.number(),
      advice: z.string().describe('What to do about it.'),
    }),
  ),
  weeks: z.array(Sums.extend({ week: z.string().describe('Its Monday, in UTC.') })).describe('In order.'),
  clients: z.array(Sums.extend({ client: z.string() })).describe('The programs, the largest loss first.'),
  sessions: z
    .array(Sums.extend({ sessionId: z.string() }))
    .describe('The sessions with the largest losses; at most 20.'),
}).meta({ id: 'CachingReport' })
export type CachingReport = z.infer<typeof CachingReport>
