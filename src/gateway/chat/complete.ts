// The way of one chat request, top to bottom: find who serves it, admit, reserve, write down, dispatch, answer.
// Every way out of `serve` settles exactly once, in `answer.ts` or `unanswered.ts`.
import type { ChatRequest } from '../../shared/chat.ts'
import type { Offer } from '../catalog/offers.ts'
import { GatewayError } from '../errors.ts'
import type { KeyState } from '../keys.ts'
import { promptSize, promptTokens } from '../tokens.ts'
import { DispatchFailure, dispatch, type FailedTry } from '../upstream/dispatch.ts'
import { eligible, worstCase } from './admission.ts'
import { answerPlain, answerStream } from './answer.ts'
import type { Admitted, ChatCall, ChatRooms } from './call.ts'
import { Meter } from './meter.ts'
import { Ended, revoked } from './running.ts'
import { answerFailure, type FailedOffer, settleFault } from './unanswered.ts'

/** Answers the call over its reply. Throws GatewayError for whatever is refused before an upstream is called. */
export async function complete(call: ChatCall, rooms: ChatRooms): Promise<void> {
  const createdAt = rooms.clock.now()
  const startedAt = rooms.clock.monotonic()
  const run = rooms.running.start(call.key.id, call.reply.signal)
  try {
    const offers = await findOffers(call.request, call.key, rooms)
    const admitted = await admit(call, offers, { createdAt, startedAt, signal: run.signal }, rooms)
    await serve(admitted, offers, rooms)
  } finally {
    run.finish()
  }
}

/** Who can serve the request, in order. A model that nobody knows yet may be on a list that was never read. */
async function findOffers(request: ChatRequest, key: KeyState, rooms: ChatRooms): Promise<readonly Offer[]> {
  const { catalog, account } = rooms
  if (!catalog.knows(request.model)) await rooms.providerModels.refreshMissing()
  const caps = { key: key.limitNano !== null, month: account.monthlyLimitNano !== null }
  return eligible(catalog.route(request.model).offers, request, caps)
}

type Arrival = { createdAt: number; startedAt: number; signal: AbortSignal }

async function admit(
  call: ChatCall,
  offers: readonly Offer[],
  arrival: Arrival,
  rooms: ChatRooms,
): Promise<Admitted> {
  const { createdAt, startedAt, signal } = arrival
  const { key, request, requestId, client } = call
  const size = promptSize(request)
  const plan = rooms.account.plan
  const worst = worstCase(offers, request, size, plan.discountPercent)
  const meter = new Meter(size, plan, () => promptTokens(request, (text) => rooms.tokens.count(text)))
  const [first] = offers
  const undo: (() => void)[] = []
  try {
    // It may have been let in before, and have waited for its idempotency key since.
    if (key.revokedAt !== null) throw revoked()
    const rate = rooms.limits.admit(key, size.about)
    undo.push(rate.cancel)
    const reservation = await rooms.budget.reserve(key, worst, signal)
    undo.push(() => rooms.budget.release(reservation))
    const entry = await rooms.ledger.open(
      {
        id: requestId,
        createdAt,
        keyId: key.id,
        requestedModel: request.model,
        stream: request.stream === true,
        tokensIn: size.about,
        reservedNano: reservation.amount,
        estimateNano: first ? meter.estimate(first) : null,
        queueMs: reservation.waitedMs,
        client,
      },
      reservation,
    )
    return { call, entry, meter, rate, startedAt, signal }
  } catch (error) {
    for (const step of undo.reverse()) step()
    if (error instanceof Ended) throw new GatewayError({ status: error.status, ...error.body })
    if (error instanceof GatewayError) {
      const totalMs = rooms.clock.monotonic() - startedAt
      rooms.ledger.refused({
        id: requestId,
        createdAt,
        keyId: key.id,
        requestedModel: request.model,
        stream: request.stream === true,
        httpStatus: error.status,
        error: error.body,
        totalMs,
        client,
      })
    }
    throw error
  }
}

async function serve(admitted: Admitted, offers: readonly Offer[], rooms: ChatRooms): Promise<void> {
  const offerOf = new Map(offers.map((offer) => [rooms.providers.target(offer), offer]))
  const failedOffers = (failed: readonly FailedTry[]): FailedOffer[] =>
    failed.flatMap(({ target, failure }) => {
      const offer = offerOf.get(target)
      return offer ? [{ offer, failure }] : []
    })
  let served: Offer | null = null
  try {
    const { answer, target, attempts, failed, firstByteMs } = await dispatch({
      targets: [...offerOf.keys()],
      request: admitted.call.request,
      signal: admitted.signal,
      credentialFor: (providerId, place) => rooms.providers.credential(providerId, place),
      restCredential: (providerId, place, ms) => rooms.providers.restCredential(providerId, place, ms),
      clock: rooms.clock,
      random: Math.random,
      pool: rooms.pool,
      breakers: rooms.breakers,
    })
    const offer = offerOf.get(target)
    if (!offer) throw new Error('an answer came from a target that was not asked')
    served = offer
    const way = { offer, attempts, failed: failedOffers(failed), firstByteMs }
    if (answer.kind === 'plain') await answerPlain(admitted, way, answer, rooms)
    else await answerStream(admitted, way, answer, rooms)
  } catch (error) {
    if (!(error instanceof DispatchFailure)) {
      await settleFault(admitted, served, rooms)
      throw error
    }
    await answerFailure(admitted, failedOffers(error.failed), error, rooms)
  }
}
