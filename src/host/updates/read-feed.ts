// Reads the feed of the update server. Nothing in it is looked at before its signature is verified.
import { parse } from 'yaml'
import { z } from 'zod'
import { isFeedSigned, signatureFileName, type UpdateFeed } from './feed.ts'

/** Why there is no update now. The message is for the user. */
export class UpdateError extends Error {
  override name = 'UpdateError'
}

/** The feed as electron-builder writes it; https://www.electron.build/auto-update. */
export const FeedContent = z.looseObject({
  version: z.string().regex(/^\d+\.\d+\.\d+$/),
  files: z
    .array(
      z.looseObject({
        // A plain name: it is relative to the folder of the version.
        url: z.string().regex(/^[\w.+-]+$/),
        sha512: z.string().min(80),
        size: z.int().positive(),
      }),
    )
    .min(1),
  path: z.string(),
  sha512: z.string(),
  releaseDate: z.string(),
  releaseNotes: z.string().exactOptional(),
  stagingPercentage: z.number().min(0).max(100).exactOptional(),
})
export type FeedContent = z.infer<typeof FeedContent>

const MAX_BYTES = 1_000_000
const TIMEOUT_MS = 30_000

/** Throws UpdateError. */
export async function readFeed(
  feed: UpdateFeed,
  channelFile: string,
  fetch: (url: string, init: RequestInit) => Promise<Response>,
): Promise<FeedContent> {
  if (feed.publicKeys.length === 0)
    throw new UpdateError('This build has no key to verify updates with, so it looks for none.')
  const read = (name: string) => readText(feed.channelUrl(name), fetch)
  const [text, signature] = await Promise.all([read(channelFile), read(signatureFileName(channelFile))])
  if (!isFeedSigned({ channelFile, text, signature }, feed.publicKeys)) {
    throw new UpdateError(
      'The update server’s list of versions is not signed by Tollgate, so nothing was downloaded. A program on the way may have changed it.',
    )
  }
  return parseFeed(text)
}

export function parseFeed(text: string): FeedContent {
  try {
    return FeedContent.parse(parse(text))
  } catch (cause) {
    throw new UpdateError('The update server’s list of versions cannot be read.', { cause })
  }
}

async function readText(
  url: URL,
  fetch: (url: string, init: RequestInit) => Promise<Response>,
): Promise<string> {
  if (url.protocol !== 'https:' && url.hostname !== '127.0.0.1')
    throw new UpdateError('The address of the update server must begin with https.')
  const init = { signal: AbortSignal.timeout(TIMEOUT_MS), headers: { 'cache-control': 'no-cache' } }
  try {
    const response = await fetch(url.href, init)
    if (!response.ok)
      throw new UpdateError(`The update server answered with HTTP ${response.status}. Try again later.`)
    return await readLimited(response)
  } catch (cause) {
    if (cause instanceof UpdateError) throw cause
    throw new UpdateError('The update server cannot be reached. Check the network, and try again.', { cause })
  }
}

async function readLimited(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk)
    bytes += chunk.byteLength
    if (bytes > MAX_BYTES) throw new UpdateError('The update server’s list of versions is too long.')
  }
  return Buffer.concat(chunks).toString('utf8')
}
