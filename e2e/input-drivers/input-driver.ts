// Owns the words for what a person does to a window, whichever way. Knows nothing of any view.
import type { Locator } from '@playwright/test'
import type { View } from '../views.ts'

export interface Hand {
  name: 'keyboard' | 'mouse'
  go(view: View): Promise<void>
  /** Does what a button, a link or a row is there for. */
  press(target: Locator): Promise<void>
  /** Flips a switch or a box. */
  flip(target: Locator): Promise<void>
  /** Puts `text` in the place of what stands in a field. */
  write(field: Locator, text: string): Promise<void>
  /** Sends the form that was written in last: with Enter, or with its button. */
  send(button: Locator): Promise<void>
  /** Opens a select or a menu, and takes what has this name. */
  choose(trigger: Locator, name: string | RegExp): Promise<void>
  /** Opens a list that is searched by typing, and takes what is found. */
  find(trigger: Locator, text: string): Promise<void>
  /** Takes one of a row of segments. */
  take(group: Locator, name: string): Promise<void>
  /** Takes one of a list of tabs. */
  turnTo(tabs: Locator, name: string): Promise<void>
  /** Moves a slider up. */
  slide(thumb: Locator): Promise<void>
  /** Opens the first of a list of rows, of which Tab reaches only one. */
  openFirst(rows: Locator): Promise<void>
  /** From a row that is open to the one below it. */
  stepTo(rowBelow: Locator): Promise<void>
  /** Moves one item of an ordered list to the place of the one above it. */
  moveUp(item: Locator, above: Locator): Promise<void>
  /** Leaves what opened over the view. */
  leave(panel: Locator): Promise<void>
  /** Runs a command of the palette. */
  command(name: string): Promise<void>
}
