import { z } from 'zod'
import { Timestamp } from './request-queries.ts'

export const RepositoryName = z
  .string()
  .min(1)
  .max(300)
  .regex(/^[^\s@?#\p{Cc}]+$/u, 'A host and a path, such as github.com/owner/name.')
  .describe('The address of the remote without its scheme and credentials, or the name of the folder.')

const Branch = z
  .string()
  .max(250)
  .regex(/^[^\s\p{Cc}]*$/u, 'The name of a branch.')
  .describe('Empty for a detached HEAD.')

const Commit = z.string().regex(/^[0-9a-f]{40,64}$/, 'The full hash of a commit.')

/** A repository and a branch, with a space between them. */
export const BranchName = z.string().max(551)

export const GitReport = z
  .strictObject({
    clientSessionId: z.string().min(1).max(200).optional().describe("The client's own id of its session."),
    keyId: z.string().optional().describe('A key, if all its requests are of work in this place.'),
    repository: RepositoryName,
    branch: Branch,
    head: Commit.nullable().describe('The commit that is checked out; null before the first.'),
    commits: z
      .array(z.strictObject({ at: Timestamp, branch: Branch, commit: Commit }))
      .max(1000)
      .default([])
      .describe('The commits made here.'),
    switches: z
      .array(
        z.strictObject({
          at: Timestamp,
          from: Branch,
          to: Branch,
          carries: z
            .boolean()
            .describe('Both branches were at the same commit, so that other changes were taken along.'),
        }),
      )
      .max(1000)
      .default([])
      .describe('The changes from one branch to another.'),
  })
  .meta({ id: 'GitReport' })
export type GitReport = z.input<typeof GitReport>

export const RecordedGit = z.object({ recorded: z.literal(true) }).meta({ id: 'RecordedGit' })

export const GitPlace = z
  .object({ repository: z.string(), branch: z.string().describe('Empty for a detached HEAD.') })
  .meta({ id: 'GitPlace' })
export type GitPlace = z.infer<typeof GitPlace>
