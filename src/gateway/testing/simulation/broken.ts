// The invariants of a simulated world, by what breaks them.
export type Invariant =
  /** A vendor has billed more than is reserved for a request that runs. */
  | 'bound'
  /** The bound where searches or references have added to the prompt. */
  | 'bound with searches'
  /** The bound where most of the bill is for reasoning. */
  | 'bound with reasoning'
  /** A vendor bills more than is charged and held for a request that is over. */
  | 'unsettled'
  /** An exact charge is not what the vendor bills. */
  | 'exact'
  /** A charge is far above what the request can cost. */
  | 'report'
  /** The figures of what is reserved do not agree. */
  | 'reserved'
  /** The amount reserved when nothing runs differs from the holds. */
  | 'held'
  /** The spend falls, or the books do not agree. */
  | 'books'
  /** Data that a client has received is not durable. */
  | 'told'
  /** A crash loses rows that were sent long before. */
  | 'lost'
  /** A forecast's factor exceeds every ratio that it has seen. */
  | 'factor'
  /** A key is used although it was revoked. */
  | 'revoked'
  /** More sub-agents of a session are at work than its key allows, or one is refused that it allows. */
  | 'sub-agents'
  /** Several rules act on one request, or one makes it dearer. */
  | 'rules'
  /** A rule that does not say `deny` refuses what would have been served without it. */
  | 'refused'
  /** A session changes its credential although none is limited. */
  | 'spread'
  /** A request has no end, or waits too long. */
  | 'end'
  /** After a crash, the vendors' bills cannot be entered. */
  | 'invoice'
  /** The bills of vendors pass a cap by more than one request, and one batch of each stream. */
  | 'cap'
  /** The bills of vendors to a strict key pass its cap. */
  | 'strict cap'
  /** The gateway has failed. */
  | 'fault'

/** A broken invariant. */
export class BrokenInvariant extends Error {
  override name = 'Broken'
  readonly invariant: Invariant

  constructor(invariant: Invariant, message: string) {
    super(message)
    this.invariant = invariant
  }
}
